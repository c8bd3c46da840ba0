/* SPDX-License-Identifier: Apache-2.0 */
/* fake_old.c: a library without the required symbols. */
__attribute__((visibility("default"))) int cuInit(unsigned flags)
{
    return (int)flags;
}
__attribute__((visibility("default"))) int hipInit(unsigned flags)
{
    return (int)flags;
}
