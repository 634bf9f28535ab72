package latchkey

import "syscall"

var getTickCount64 = syscall.NewLazyDLL("kernel32.dll").NewProc("GetTickCount64")

func (systemClock) Monotonic() int64 {
	ticks, _, _ := getTickCount64.Call()
	return int64(ticks)
}

func (systemClock) CountsSleep() bool { return true }
