// SPDX-License-Identifier: GPL-2.0-only
/*
 * A platform device for the test accelerator. If the parameter rest is set, the kernel suspends the
 * device when it has been idle for that time. Nothing is lost in the meantime, unless a fault in
 * lies.c says so.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>

#include "accel.h"

static uint rest;
module_param(rest, uint, 0444);
MODULE_PARM_DESC(rest, "ms after which an idle device is suspended (0: there is no such device)");

static struct platform_device *device;
static bool has_rested;

static int suspend(struct device *dev)
{
	return 0;
}

static int resume(struct device *dev)
{
	WRITE_ONCE(has_rested, true);
	return 0;
}

static int probe(struct platform_device *pdev)
{
	pm_runtime_set_autosuspend_delay(&pdev->dev, rest);
	pm_runtime_use_autosuspend(&pdev->dev);
	pm_runtime_irq_safe(&pdev->dev);
	pm_runtime_enable(&pdev->dev);
	return 0;
}

static const struct dev_pm_ops ops = { .runtime_suspend = suspend, .runtime_resume = resume };
static struct platform_driver driver = {
	.driver = { .name = "accel", .pm = &ops },
	.probe = probe,
};

int accel_rest_start(void)
{
	int err = rest ? platform_driver_register(&driver) : 0;

	if (err || !rest)
		return err;
	device = platform_device_register_simple("accel", PLATFORM_DEVID_NONE, NULL, 0);
	if (!IS_ERR(device))
		return 0;
	platform_driver_unregister(&driver);
	err = PTR_ERR(device);
	device = NULL;
	return err;
}

void accel_rest_stop(void)
{
	if (!device)
		return;
	pm_runtime_disable(&device->dev);
	platform_device_unregister(device);
	platform_driver_unregister(&driver);
}

/*
 * Whether this is the first request since the device was suspended. The very first request is not.
 */
bool accel_wake(void)
{
	bool is_first;

	if (!device)
		return false;
	pm_runtime_get_sync(&device->dev);
	is_first = READ_ONCE(has_rested);
	WRITE_ONCE(has_rested, false);
	return is_first;
}

void accel_sleep(void)
{
	if (!device)
		return;
	pm_runtime_mark_last_busy(&device->dev);
	pm_runtime_put_autosuspend(&device->dev);
}
