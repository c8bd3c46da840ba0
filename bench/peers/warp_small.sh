#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# warp_small.sh WHEEL OUT [ARCH]: builds NVIDIA Warp's library from the sources
# in its wheel, for one GPU architecture (sm_90), 13 MB instead of the wheel's
# 299 MB.  It lacks NVRTC; volumes, cuBQL, MathDx and the PTX compiler, whose
# sources the wheel lacks, do nothing.  nvalchemi-toolkit-ops uses none of these.
#
#     unzip warp_lang-1.19.0-*.whl -d WHEEL; warp_small.sh WHEEL OUT
#     PYTHONPATH=OUT LD_LIBRARY_PATH=/usr/local/cuda/lib64 python3 -c 'import warp'
#
# Requires nvcc of CUDA 13, g++ and an unpacked wheel, which stays unchanged.
set -eu
wheel=$1 out=$2 arch=${3:-sm_90} cuda=${CUDA_HOME:-/usr/local/cuda}
native=$wheel/warp/native
work=$out/.build
mkdir -p "$work/inc"
{
    echo '#include <stddef.h>'
    echo 'typedef enum { NVPTXCOMPILE_SUCCESS'
    for e in INVALID_COMPILER_HANDLE INVALID_INPUT COMPILATION_FAILURE \
        INTERNAL OUT_OF_MEMORY COMPILER_INVOCATION_INCOMPLETE \
        UNSUPPORTED_PTX_VERSION UNSUPPORTED_DEVSIDE_SYNC CANCELLED; do
        echo ", NVPTXCOMPILE_ERROR_$e"
    done
    echo '} nvPTXCompileResult; typedef struct nvPTXCompiler *nvPTXCompilerHandle;'
    while read -r name arguments; do
        echo "static inline nvPTXCompileResult nvPTXCompiler$name$arguments"
        echo '{ return NVPTXCOMPILE_ERROR_INTERNAL; }'
    done <<'END'
Create (nvPTXCompilerHandle *, size_t, const char *)
Destroy (nvPTXCompilerHandle *)
Compile (nvPTXCompilerHandle, int, const char *const *)
GetCompiledProgramSize (nvPTXCompilerHandle, size_t *)
GetCompiledProgram (nvPTXCompilerHandle, void *)
GetErrorLogSize (nvPTXCompilerHandle, size_t *)
GetErrorLog (nvPTXCompilerHandle, char *)
GetInfoLogSize (nvPTXCompilerHandle, size_t *)
GetInfoLog (nvPTXCompilerHandle, char *)
END
} >"$work/inc/nvPTXCompiler.h"
common="-std=c++17 -DWP_BUILD_DLL -DWP_ENABLE_CUDA=1 -DWP_ENABLE_MATHDX=0
    -DWP_ENABLE_CUDA_COMPATIBILITY=0 -DWP_ENABLE_DEBUG=0 -DNDEBUG
    -I$native -I$work/inc"
hidden=-fvisibility=hidden,-fvisibility-inlines-hidden
for f in "$native"/*.cpp; do
    case $f in *bvh_cubql* | *volume*) continue ;; esac
    # shellcheck disable=SC2086
    g++ $common -fno-rtti -O2 -fPIC -D_GLIBCXX_USE_CXX11_ABI=0 \
        $(echo $hidden | tr , ' ') -I"$cuda/include" -c "$f" \
        -o "$work/$(basename "$f").o"
done
for f in "$native"/*.cu; do
    case $f in *bvh_cubql* | *volume_builder* | *apic*) continue ;; esac
    # shellcheck disable=SC2086
    "$cuda/bin/nvcc" $common -O3 -arch="$arch" --compiler-options \
        -fPIC,$hidden,-D_GLIBCXX_USE_CXX11_ABI=0 -c "$f" \
        -o "$work/$(basename "$f").o"
done
link() {
    g++ -shared -static-libstdc++ -static-libgcc -Wl,-z,lazy \
        -Wl,--exclude-libs,ALL -o "$work/warp.so" "$work"/*.o \
        -L"$cuda/lib64" -lcudart_static -lnvrtc -lpthread -ldl -lrt
}
names() { # FLAG FILE
    nm -D "$1" "$2" | awk '{ print $NF }' | sort
}
link
names --defined-only "$wheel/warp/bin/warp.so" >"$work/wanted"
names --defined-only "$work/warp.so" >"$work/there"
{
    comm -23 "$work/wanted" "$work/there"
    names --undefined-only "$work/warp.so" | grep cubql_bvh
} | awk '{ print "extern \"C\" __attribute__((visibility(\"default\")))" \
    " long " $1 "() { return 0; }" }' >"$work/missing.cc"
g++ -fPIC -c "$work/missing.cc" -o "$work/missing.o"
link
strip --strip-unneeded "$work/warp.so"
cp -r "$wheel"/warp "$wheel"/warp_lang-*.dist-info "$out"
rm -rf "$out"/warp/bin/* "$out"/warp/tests "$out"/warp/examples
cp "$work/warp.so" "$out/warp/bin/"
