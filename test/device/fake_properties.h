/* SPDX-License-Identifier: Apache-2.0 */
/* fake_properties.h: the devices of fake_driver.c, which includes it. */
#ifndef FARSUM_TEST_DEVICE_FAKE_PROPERTIES_H
#define FARSUM_TEST_DEVICE_FAKE_PROPERTIES_H

static int fake_init(unsigned flags)
{
    TOLD(init);
    return flags == 0 ? 0 : INVALID;
}
static int fake_version(int *version)
{
    TOLD(version);
    *version = FAKE_HIP ? 60012345 : 13000;
    return 0;
}
static int fake_device_count(int *count)
{
    TOLD(device_count);
    *count = FAKE_DEVICES;
    return 0;
}
static int fake_device_get(int *device, int index)
{
    TOLD(device_get);
    *device = index;
    return index < FAKE_DEVICES ? 0 : NO_DEVICE;
}
static int fake_device_name(char *name, int capacity, int device)
{
    TOLD(device_name);
    snprintf(name, (size_t)capacity, "Player %d", device);
    return 0;
}
/* The values of CUdevice_attribute and hipDeviceAttribute_t. */
static int fake_device_attribute(int *value, int attribute, int device)
{
    static const int at[2][11] = {{16, 1, 10, 18, 97, 38, 13, 75, 76, 83, 89},
                                  {63, 56, 87, 16, 74, 19, 5, 23, 61, -1, -2}};
    int capability = number("FAKE_CAPABILITY", 90);
    const int known[11] = {7,
                           1024,
                           FAKE_HIP ? 64 : 32,
                           0,
                           65536,
                           1 << 22,
                           1500000,
                           capability / 10,
                           capability % 10,
                           number("FAKE_MANAGED", 2) > 0,
                           number("FAKE_MANAGED", 2) > 1};
    TOLD(device_attribute);
    for (int i = 0; i < 11; i++)
        if (at[FAKE_HIP][i] == attribute && device < FAKE_DEVICES) {
            *value = known[i];
            return 0;
        }
    return INVALID;
}
static int fake_device_memory(size_t *bytes, int device)
{
    TOLD(device_memory);
    *bytes = FAKE_BYTES;
    return device < FAKE_DEVICES ? 0 : NO_DEVICE;
}
static int fake_device_bus(char *text, int room, int device)
{
    TOLD(device_bus);
    snprintf(text, (size_t)room, "0000:%02x:00.0", device + 1);
    return device < FAKE_DEVICES ? 0 : NO_DEVICE;
}
#endif
