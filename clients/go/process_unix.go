//go:build !windows

package latchkey

import (
	"errors"
	"syscall"
)

// isAlive tells whether a process exists. One of another user counts as alive.
func isAlive(process int) bool {
	err := syscall.Kill(process, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
