// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels with one wgmma each and the cases they are run on, as they were measured on an H200: the kernel fills shared memory and its
// registers with words made from a seed, so that neither inputs nor outputs have to be kept; a hash of the outputs says whether they
// are the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::test {

struct WgmmaKernel {
    std::string d, a, b; ///< types as in PTX
    int n = 8, k = 16;
    bool aInRegisters = false, satfinite = false;
    int scaleA = 1, scaleB = 1, transA = 0, transB = 0;

    bool isHalf() const { return a == "f16" || a == "bf16"; }
    bool isInteger() const { return d == "s32"; }
    int outputWords() const { return n / (d == "f16" ? 4 : 2); } ///< of a thread
    std::string name() const {
        std::string text = "w_n" + std::to_string(n) + "_" + d + "_" + a + "_" + b + (aInRegisters ? "_r" : "_s") + (satfinite ? "_sat" : "");
        if (!isInteger())
            text += "_" + std::to_string(scaleA + 1) + std::to_string(scaleB + 1) + std::to_string(transA) + std::to_string(transB);
        return text;
    }
};

/// Words that a seed makes: random bits under masks, some of them special values or zeros.
struct WordRule {
    std::uint32_t seed = 0, keep = ~0u, set = 0; ///< (random & keep) | set
    std::uint32_t sparse = ~0u, sparseKeep = 0, sparseSet = 0; ///< where (second random & sparse) == 0: these masks instead
    std::uint32_t zeros = 0xffff; ///< where (second random >> 16 & zeros) == 0: only the signs of bytes and halves
};

constexpr std::uint32_t kWgmmaImageBytes = 57344, kWgmmaSharedBytes = 61440;

/// 32 words: descriptors without the address of shared memory, scale-d, rules of the image, of C, of A in registers.
using WgmmaCase = std::array<std::uint32_t, 32>;

struct WgmmaOperand {
    int layout = 0; ///< as in the descriptor: 0 none, 1 128, 2 64, 3 32 bytes
    std::uint32_t start = 0, leading = 0, stride = 0, base = 0;
    std::uint64_t descriptor() const {
        return std::uint64_t{start} >> 4 | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32 | std::uint64_t{base} << 49 |
               std::uint64_t(static_cast<unsigned>(layout)) << 62;
    }
};

class WgmmaRandom {
public:
    explicit WgmmaRandom(std::uint64_t seed) : m_state(seed * 0x9E3779B97F4A7C15ull + 1) {}
    std::uint32_t operator()(std::uint32_t below) {
        m_state ^= m_state >> 12;
        m_state ^= m_state << 25;
        m_state ^= m_state >> 27;
        return static_cast<std::uint32_t>((m_state * 0x2545F4914F6CDD1Dull) >> 32) % below;
    }

private:
    std::uint64_t m_state;
};

/// Somewhere in the image, with strides that keep it inside.
inline WgmmaOperand randomOperand(WgmmaRandom& random, int extent, bool isTransposed, bool usesBase) {
    WgmmaOperand o;
    o.layout = static_cast<int>(random(4));
    o.start = 16 * random(256);
    const std::uint32_t width = o.layout == 0 ? 1u : o.layout == 1 ? 8u : o.layout == 2 ? 4u : 2u; // chunks of 16 bytes in a row of the pattern
    const auto groups = static_cast<std::uint32_t>(extent) / 8;
    std::uint32_t byLeading = 1, byStride = groups;
    if (isTransposed && o.layout != 0) {
        byLeading = (groups + width - 1) / width;
        byStride = 1;
    }
    const std::uint32_t room = kWgmmaImageBytes - 8192;
    o.leading = 16 * random(std::min(room / 2 / byLeading / 16, 1024u));
    o.stride = 16 * random(std::min(room / 2 / byStride / 16, 1024u));
    o.base = usesBase ? random(8) : 0;
    return o;
}

inline WordRule dataRule(const WgmmaKernel& kernel, std::uint32_t mode, std::uint32_t seed) {
    WordRule r;
    r.seed = seed;
    const auto both = [](std::uint32_t half) { return half | half << 16; };
    const auto four = [&](std::uint32_t byte) { return both(byte | byte << 8); };
    if (kernel.isInteger())
        return r;
    std::uint32_t small = 0, narrowKeep = 0, narrowSet = 0, wide = 0, special = 0, sign = 0;
    if (kernel.a == "f16") {
        small = both(0xbfff), narrowKeep = both(0x8fff), narrowSet = both(0x3000), wide = both(0xfbff), special = both(0x7c00), sign = both(0x8000);
    } else if (kernel.a == "bf16") {
        small = both(0xbfff), narrowKeep = both(0x81ff), narrowSet = both(0x3e00), wide = both(0xff7f), special = both(0x7f80), sign = both(0x8000);
    } else if (kernel.a == "tf32") {
        small = 0xbfffffff, narrowKeep = 0x81ffffff, narrowSet = 0x3e000000, wide = 0xff7fffff, special = 0x7f800000, sign = 0x80000000;
    } else if (kernel.a == kernel.b && kernel.a == "e5m2") {
        small = four(0xbf), narrowKeep = four(0x8f), narrowSet = four(0x30), wide = four(0xfb), special = four(0x7c), sign = four(0x80);
    } else {
        small = four(0xbf), narrowKeep = four(0x97), narrowSet = four(0x20), wide = four(0xf3), special = four(0x7f), sign = four(0x80);
    }
    r.keep = small;
    switch (mode % 6) {
    case 0: break;
    case 1: r.keep = narrowKeep, r.set = narrowSet; break;
    case 2: r.keep = wide; break;
    case 3: r.keep = narrowKeep, r.set = narrowSet, r.sparse = 0xff, r.sparseKeep = ~0u, r.sparseSet = special; break;
    case 4: r.keep = narrowKeep, r.set = narrowSet, r.sparse = 0x1ff, r.sparseKeep = sign, r.sparseSet = special; break;
    case 5: r.zeros = 3; break;
    }
    return r;
}

inline WordRule addendRule(const WgmmaKernel& kernel, std::uint32_t mode, std::uint32_t seed) {
    WordRule r;
    r.seed = seed;
    if (kernel.isInteger()) {
        if (mode % 3 == 1)
            r.keep = 0x80000fff, r.set = 0x7ffff000;
        else if (mode % 3 == 2)
            r.keep = 0x80000fff, r.set = 0x80000000;
        return r;
    }
    const bool half = kernel.d == "f16";
    switch (mode % 4) {
    case 0: r.keep = half ? 0x8fff8fffu : 0x83ffffffu, r.set = half ? 0x30003000u : 0x3c000000u; break;
    case 1: r.keep = half ? 0xbfffbfffu : 0xbfffffffu; break;
    case 2: break; // any bits: infinities and NaN too
    case 3: r.keep = half ? 0xfbfffbffu : 0xff7fffffu, r.zeros = 1; break;
    }
    return r;
}

inline void putRule(WgmmaCase& c, std::size_t at, const WordRule& r) {
    const std::uint32_t words[] = {r.seed, r.keep, r.set, r.sparse, r.sparseKeep, r.sparseSet, r.zeros};
    std::copy(std::begin(words), std::end(words), c.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Case `index` of a kernel: the same one here and on the GPU.
inline WgmmaCase wgmmaCase(const WgmmaKernel& kernel, std::uint32_t index, bool usesBase = false) {
    std::uint64_t seed = 1469598103934665603ull;
    for (const char ch : kernel.name())
        seed = (seed ^ static_cast<unsigned char>(ch)) * 1099511628211ull;
    WgmmaRandom random(seed + index);
    WgmmaCase c{};
    const std::uint64_t a = randomOperand(random, 64, kernel.transA != 0, usesBase).descriptor();
    const std::uint64_t b = randomOperand(random, kernel.n, kernel.transB != 0, usesBase).descriptor();
    c[0] = static_cast<std::uint32_t>(a), c[1] = static_cast<std::uint32_t>(a >> 32);
    c[2] = static_cast<std::uint32_t>(b), c[3] = static_cast<std::uint32_t>(b >> 32);
    c[4] = random(4) != 0 ? 1 : 0;
    putRule(c, 8, dataRule(kernel, index, random(1u << 30)));
    putRule(c, 15, addendRule(kernel, random(12), random(1u << 30)));
    putRule(c, 22, dataRule(kernel, index + (random(3) == 0 ? 1 : 0), random(1u << 30)));
    return c;
}

/// PTX that makes word number `index` (a register) of the rule in %q<at>... into `to`.
inline std::string wordText(const std::string& to, const std::string& index, int at) {
    const auto q = [&](int i) { return "%q" + std::to_string(at + i); };
    return "mul.lo.u32 %w, " + index + ", 0x9E3779B1;\nadd.u32 %w, %w, " + q(0) + ";\n"
           "shr.u32 %x, %w, 16;\nxor.b32 %w, %w, %x;\nmul.lo.u32 %w, %w, 0x85EBCA6B;\nshr.u32 %x, %w, 13;\nxor.b32 %w, %w, %x;\n"
           "mul.lo.u32 %w, %w, 0xC2B2AE35;\nshr.u32 %x, %w, 16;\nxor.b32 %w, %w, %x;\n"
           "mul.lo.u32 %y, %w, 0x27D4EB2D;\nshr.u32 %x, %y, 15;\nxor.b32 %y, %y, %x;\n"
           "and.b32 %v, %w, " + q(1) + ";\nor.b32 %v, %v, " + q(2) + ";\n"
           "and.b32 %x, %y, " + q(3) + ";\nsetp.eq.u32 %p1, %x, 0;\n"
           "and.b32 %x, %w, " + q(4) + ";\nor.b32 %x, %x, " + q(5) + ";\nselp.b32 %v, %x, %v, %p1;\n"
           "shr.u32 %x, %y, 16;\nand.b32 %x, %x, " + q(6) + ";\nsetp.eq.u32 %p1, %x, 0;\n"
           "and.b32 %x, %v, 0x80808080;\nselp.b32 " + to + ", %x, %v, %p1;\n";
}

inline const char* wgmmaHead() { return ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"; }

/// `probe`: the image holds the number of each of its halves and the other operand is the identity, so that D says what was read:
/// 'a' the operand A (B lies behind the image), 'b' the operand B (A in registers).
inline std::string wgmmaText(const WgmmaKernel& k, char probe = ' ') {
    const int words = k.outputWords();
    std::string t = ".visible .entry " + (probe == ' ' ? k.name() : std::string("probe_") + probe + std::to_string(k.transA) + std::to_string(k.transB)) +
                    "(.param .u64 in, .param .u64 out)\n{\n"
                    ".reg .pred %p<8>;\n.reg .b32 %q<32>;\n.reg .b32 %t<16>;\n.reg .b32 %a<4>;\n.reg .b32 %w, %x, %y, %v;\n.reg .b64 %rd<16>;\n";
    const bool isFloatD = k.d == "f32";
    t += std::string(isFloatD ? ".reg .f32 %d<" : ".reg .b32 %d<") + std::to_string(words) + ">;\n";
    t += "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nmov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %tid.x;\n"
         "mul.wide.u32 %rd2, %t0, 128;\nadd.u64 %rd0, %rd0, %rd2;\n";
    for (int i = 0; i < 32; ++i)
        t += "ld.global.u32 %q" + std::to_string(i) + ", [%rd0+" + std::to_string(4 * i) + "];\n";
    // The image.
    t += "mov.u32 %t2, %t1;\nmov.u32 %t5, smem;\nIMAGE:\n";
    if (probe == ' ')
        t += wordText("%t3", "%t2", 8);
    else
        t += "mul.lo.u32 %t3, %t2, 0x00020002;\nadd.u32 %t3, %t3, 0x00010000;\n";
    t += "shl.b32 %t4, %t2, 2;\nadd.u32 %t4, %t4, %t5;\nst.shared.u32 [%t4], %t3;\nadd.u32 %t2, %t2, 128;\nsetp.lt.u32 %p0, %t2, " +
         std::to_string(kWgmmaImageBytes / 4) + ";\n@%p0 bra IMAGE;\n";
    if (probe == 'a') // 16 x 16 identity, K-major without swizzle: chunks 128 bytes apart along k, 256 along n
        t += "shl.b32 %t4, %t1, 2;\nadd.u32 %t4, %t4, %t5;\nmov.u32 %t3, 0;\nst.shared.u32 [%t4+" + std::to_string(kWgmmaImageBytes) + "], %t3;\nbar.sync 0;\n"
             "setp.lt.u32 %p0, %t1, 16;\nshr.u32 %t6, %t1, 3;\nand.b32 %t7, %t1, 7;\nmul.lo.u32 %t6, %t6, 384;\nmul.lo.u32 %t7, %t7, 18;\n"
             "add.u32 %t6, %t6, %t7;\nadd.u32 %t6, %t6, %t5;\nmov.u32 %t3, 0x3c00;\n@%p0 st.shared.u16 [%t6+" + std::to_string(kWgmmaImageBytes) + "], %t3;\n";
    t += "fence.proxy.async;\nbar.sync 0;\n";
    // C goes to `out` first, from where each thread loads its own.
    t += "mad.lo.u32 %t6, %t0, 128, %t1;\nmul.wide.u32 %rd3, %t6, " + std::to_string(4 * words) + ";\nadd.u64 %rd1, %rd1, %rd3;\n"
         "mov.u64 %rd4, %rd1;\nmul.lo.u32 %t2, %t1, " + std::to_string(words) + ";\nadd.u32 %t7, %t2, " + std::to_string(words) + ";\nADDENDS:\n" +
         wordText("%t3", "%t2", 15) +
         "st.global.u32 [%rd4], %t3;\nadd.u64 %rd4, %rd4, 4;\nadd.u32 %t2, %t2, 1;\nsetp.lt.u32 %p0, %t2, %t7;\n@%p0 bra ADDENDS;\n";
    for (int i = 0; i < words; ++i)
        t += "ld.global." + std::string(isFloatD ? "f32" : "b32") + " %d" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    const bool inRegisters = k.aInRegisters || probe == 'b';
    if (probe == 'b') {
        // a0..a3: row lane / 4 (+ 8 for odd registers) of warp 0, columns 2 (lane % 4) (+ 8 for the upper two registers) and the next.
        t += "and.b32 %t8, %t1, 3;\nshl.b32 %t8, %t8, 1;\nshr.u32 %t9, %t1, 2;\n";
        for (int r = 0; r < 4; ++r) {
            const std::string a = "%a" + std::to_string(r);
            t += "add.u32 %t10, %t8, " + std::to_string(8 * (r >> 1)) + ";\nadd.u32 %t11, %t9, " + std::to_string(8 * (r & 1)) + ";\nmov.u32 " + a + ", 0;\n"
                 "setp.eq.u32 %p0, %t10, %t11;\n@%p0 mov.u32 " + a + ", 0x3c00;\nadd.u32 %t10, %t10, 1;\nsetp.eq.u32 %p0, %t10, %t11;\n@%p0 mov.u32 " + a + ", 0x3c000000;\n";
        }
    } else if (inRegisters) {
        for (int r = 0; r < 4; ++r)
            t += "mad.lo.u32 %t2, %t1, 4, " + std::to_string(r) + ";\n" + wordText("%a" + std::to_string(r), "%t2", 22);
    }
    t += "mov.b64 %rd5, {%q0, %q1};\nmov.b64 %rd6, {%q2, %q3};\nshr.u32 %t5, %t5, 4;\ncvt.u64.u32 %rd7, %t5;\nadd.u64 %rd5, %rd5, %rd7;\nadd.u64 %rd6, %rd6, %rd7;\n"
         "setp.ne.u32 %p2, %q4, 0;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" + std::to_string(k.n) + "k" + std::to_string(k.k) +
         (k.satfinite ? ".satfinite" : "") + "." + k.d + "." + k.a + "." + k.b + (k.a == "b1" ? ".and.popc" : "") + " {";
    for (int i = 0; i < words; ++i)
        t += (i == 0 ? "%d" : ", %d") + std::to_string(i);
    t += inRegisters ? "}, {%a0, %a1, %a2, %a3}, %rd6, %p2" : "}, %rd5, %rd6, %p2";
    if (!k.isInteger())
        t += ", " + std::to_string(k.scaleA) + ", " + std::to_string(k.scaleB);
    if (k.isHalf())
        t += (inRegisters ? std::string() : ", " + std::to_string(k.transA)) + ", " + std::to_string(k.transB);
    t += ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    for (int i = 0; i < words; ++i)
        t += "st.global." + std::string(isFloatD ? "f32" : "b32") + " [%rd1+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
    return t + "ret;\n}\n";
}

/// All shapes and types that the instruction has, and for 16-bit types all modifiers at n = 32.
inline std::vector<WgmmaKernel> wgmmaKernels() {
    std::vector<WgmmaKernel> out;
    const auto add = [&](const std::string& d, const std::string& a, const std::string& b, int k) {
        for (int n = 8; n <= 256; n += 8) {
            WgmmaKernel w;
            w.d = d, w.a = a, w.b = b, w.n = n, w.k = k;
            if (w.isInteger() && n > 32 ? n % 16 != 0 : w.isInteger() && n != 8 && n != 16 && n != 24 && n != 32)
                continue;
            WgmmaRandom random(static_cast<std::uint64_t>(n) * 977 + d.size() * 31 + static_cast<unsigned char>(a[1]) * 7u + static_cast<unsigned char>(b[1]));
            w.aInRegisters = random(2) != 0;
            if (w.isInteger()) {
                w.satfinite = a != "b1" && random(2) != 0;
            } else {
                w.scaleA = random(2) != 0 ? 1 : -1;
                w.scaleB = random(2) != 0 ? 1 : -1;
            }
            if (w.isHalf()) {
                w.transA = w.aInRegisters ? 0 : static_cast<int>(random(2));
                w.transB = static_cast<int>(random(2));
            }
            out.push_back(w);
        }
    };
    add("f32", "f16", "f16", 16);
    add("f16", "f16", "f16", 16);
    add("f32", "bf16", "bf16", 16);
    add("f32", "tf32", "tf32", 8);
    for (const char* d : {"f32", "f16"})
        for (const char* a : {"e4m3", "e5m2"})
            for (const char* b : {"e4m3", "e5m2"})
                add(d, a, b, 32);
    for (const char* a : {"s8", "u8"})
        for (const char* b : {"s8", "u8"})
            add("s32", a, b, 32);
    add("s32", "b1", "b1", 256);
    for (const auto& [d, a] : {std::pair{"f32", "f16"}, std::pair{"f16", "f16"}, std::pair{"f32", "bf16"}})
        for (int m = 0; m < 32; ++m) {
            WgmmaKernel w;
            w.d = d, w.a = w.b = a, w.n = 40;
            w.aInRegisters = (m & 1) != 0;
            w.scaleA = (m & 2) != 0 ? 1 : -1;
            w.scaleB = (m & 4) != 0 ? 1 : -1;
            w.transB = m >> 3 & 1;
            w.transA = m >> 4 & 1;
            const bool isThere = std::any_of(out.begin(), out.end(), [&](const WgmmaKernel& o) { return o.name() == w.name(); });
            if (!isThere && !(w.aInRegisters && w.transA != 0))
                out.push_back(w);
        }
    return out;
}

} // namespace lanescope::test
