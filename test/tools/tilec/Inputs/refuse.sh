#!/bin/sh
echo "ptxas info    : looking at it" >&2
echo "ptxas fatal   : the input is not to my taste" >&2
exit 1
