// SPDX-License-Identifier: GPL-3.0-or-later
// The same product twice, to be compared line by line: first with a row a lane, then with a column a lane.
extern "C" __global__ void pair(int M, int N, int K, const float* A, const float* B, float* C, float* D) {
  int row0 = blockIdx.x*32, lane = threadIdx.x;
  int y = blockIdx.y*8 + threadIdx.y;   // warp = y
  float c = 0.f, d = 0.f;
  #pragma unroll 1             // one step at a time, to be looked at
  for (int i = 0; i < K; ++i)  // naive: lane = row
    c += A[(row0+lane)*K + i] * B[i*N + y];
  C[(row0+lane)*N + y] = c;
  __syncthreads();
  #pragma unroll 1
  for (int i = 0; i < K; ++i)  // coalesced: lane = column
    d += A[y*K + i] * B[i*N + row0+lane];
  D[y*N + row0+lane] = d;
}
