#include "Emitter.h"
