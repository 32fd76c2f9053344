#!/bin/sh
# Interesting (1) while there is a division.
! grep -q sg.div "$1"
