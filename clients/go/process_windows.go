package latchkey

import (
	"errors"
	"syscall"
)

const (
	queryLimitedInformation = 0x1000
	stillActive             = 259
)

// isAlive tells whether a process exists. One of another user counts as alive.
func isAlive(process int) bool {
	handle, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(process))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer syscall.CloseHandle(handle)
	var status uint32
	return syscall.GetExitCodeProcess(handle, &status) == nil && status == stillActive
}
