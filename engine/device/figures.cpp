// SPDX-License-Identifier: GPL-3.0-or-later
// The figures that a GPU description may hold.
#include "engine/device/device.h"

namespace lanescope::device {

const std::vector<FigureKind>& figureKinds() {
    static const std::vector<FigureKind> kinds = {
        {"sm_count", "SMs", "streaming multiprocessors"},
        {"boost_clock", "MHz", "clock of the peak figures"},
        {"tensor_clock", "MHz", "clock at which the tensor peak is stated, where it differs"},
        {"issue_slots_per_sm", "warp instructions/clk/SM",
         "instructions that the schedulers issue"},
        {"fp32_lanes_per_sm", "FMA/clk/SM", "FP32 multiply-adds"},
        {"fp64_lanes_per_sm", "FMA/clk/SM", "FP64 multiply-adds outside tensor cores"},
        {"sfu_lanes_per_sm", "lanes/clk/SM", "special functions"},
        {"load_store_lanes_per_sm", "lanes/clk/SM", "lanes of the load/store units"},
        {"tensor_f16", "FMA/clk/SM", "tensor multiply-adds, FP16 in and out"},
        {"tensor_f16_accumulate_f32", "FMA/clk/SM", "tensor multiply-adds, FP16 in, FP32 out"},
        {"tensor_bf16", "FMA/clk/SM", "tensor multiply-adds, BF16"},
        {"tensor_tf32", "FMA/clk/SM", "tensor multiply-adds, TF32"},
        {"tensor_fp8", "FMA/clk/SM", "tensor multiply-adds, FP8"},
        {"tensor_int8", "FMA/clk/SM", "tensor multiply-adds, INT8"},
        {"tensor_f64", "FMA/clk/SM", "tensor multiply-adds, FP64"},
        {"l1_lines_per_clock", "lines/clk/SM", "128-byte lines that the L1's tag stage takes"},
        {"l1_bytes_per_clock", "bytes/clk/SM", "width of the L1's data path"},
        {"shared_bytes_per_clock", "bytes/clk/SM", "width of shared memory; 128 is a wavefront"},
        {"l2_size", "bytes", "size of the L2"},
        {"l2_bandwidth", "GB/s", "bandwidth of the L2"},
        {"dram_size", "GB", "size of device memory"},
        {"dram_bandwidth", "GB/s", "bandwidth of device memory"},
        {"dram_copy_bandwidth_measured", "GB/s", "measured by copying, reads plus writes"},
        {"peak_fp32", "TFLOP/s", "stated FP32 peak"},
        {"peak_f16_tensor", "TFLOP/s", "stated dense FP16 tensor peak"},
        {"latency_ffma", "cycles", "dependent FP32 multiply-add"},
        {"latency_shared", "cycles", "shared memory load"},
        {"latency_l1", "cycles", "load that hits the L1"},
        {"latency_l2", "cycles", "load that hits the L2"},
        {"latency_dram", "cycles", "load from device memory"},
        {"launch_overhead", "us", "empty kernel, launched back to back"},
        {"launch_overhead_graph", "us", "empty kernel inside a graph"},
    };
    return kinds;
}

} // namespace lanescope::device
