template <int N>
__global__ void scale(float* a) { a[threadIdx.x] *= N; }
template __global__ void scale<3>(float*);
template __global__ void scale<4>(float*);
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
