// The same elements under the name that the device code includes.
#pragma once
#include "field/open.cuh"
