//go:build !linux && !windows

package latchkey

import "time"

var processStart = time.Now()

// Monotonic stops while the machine sleeps, so the client compares it with the machine's clock.
func (systemClock) Monotonic() int64 { return time.Since(processStart).Milliseconds() }

func (systemClock) CountsSleep() bool { return false }
