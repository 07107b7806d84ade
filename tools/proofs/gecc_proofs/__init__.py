"""Proofs about the arithmetic of the device code, from the PTX that NVRTC makes of it."""
