// SPDX-License-Identifier: GPL-3.0-or-later
// What the driver hands out, released with its owner. Internal to engine/gpu.
#pragma once

#include <utility>

#include "engine/gpu/driver_api.h"

namespace lanescope::gpu {

class Module {
public:
    explicit Module(const DriverApi& api) : m_api(api) {}
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    ~Module() {
        if (handle != nullptr)
            m_api.moduleUnload(handle);
    }
    CuHandle handle = nullptr;

private:
    const DriverApi& m_api;
};

class Buffer {
public:
    explicit Buffer(const DriverApi& api) : m_api(&api) {}
    Buffer(Buffer&& other) noexcept : address(std::exchange(other.address, 0)), m_api(other.m_api) {}
    Buffer& operator=(Buffer&&) = delete;
    ~Buffer() {
        if (address != 0)
            m_api->memoryFree(address);
    }
    CuPointer address = 0;

private:
    const DriverApi* m_api;
};

class Event {
public:
    explicit Event(const DriverApi& api) : m_api(api) { m_api.eventCreate(&handle, 0); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { m_api.eventDestroy(handle); }
    CuHandle handle = nullptr;

private:
    const DriverApi& m_api;
};

} // namespace lanescope::gpu
