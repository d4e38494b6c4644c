/* SPDX-License-Identifier: Apache-2.0 */
/* What disturbs the fuzzer's requests: the accelerator's faults, a device that goes. */
#ifndef KC_TESTS_MODULE_DISTURB_H
#define KC_TESTS_MODULE_DISTURB_H

#include <stdint.h>

#define VIRTIO_CBC "virtio_crypto_aes_cbc" /* Linux 6.1 */

/* By a random number: faults of the accelerator, and fewer requests for each user. */
void disturb(uint32_t dice);
void disturb_no_more(void);

/* Takes virtio-crypto from its driver, if the machine has one; no session of it may be open. */
void virtio_unbind(void);
void virtio_bind(void);

#endif
