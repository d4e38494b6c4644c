/* SPDX-License-Identifier: Apache-2.0 */
/* Disturbances for the fuzzer's requests: the accelerator's faults, and a device that goes away. */
#ifndef KC_TESTS_MODULE_DISTURB_H
#define KC_TESTS_MODULE_DISTURB_H

#include <stdint.h>

#define VIRTIO_CBC "virtio_crypto_aes_cbc" /* Linux 6.1 */

/* Chooses by a random number: faults of the accelerator, or fewer requests for each user. */
void disturb(uint32_t dice);
void disturb_no_more(void);

/* Unbinds virtio-crypto from its driver, if the machine has one. No session of it may be open. */
void virtio_unbind(void);
void virtio_bind(void);

#endif
