package latchkey

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

const (
	// abandoned is the time after which a lock that shows the same text was abandoned: a holder needs milliseconds.
	abandoned = 2 * time.Second
	// patience is the wait for a lock, after which the work is done without it, because a lock must not stop a customer.
	patience  = 6 * time.Second
	lockPause = 5 * time.Millisecond
)

func randomName() string {
	var bytes [16]byte
	// It never fails on the supported systems.
	_, _ = rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}

// takeLock returns the text of the lock that this process has taken; empty if the work must go on without it. The lock is
// a file, which programs in every language can hold.
func takeLock(path string) string {
	text := randomName()
	giveUpAt := time.Now().Add(patience)
	shown, shownSince := "", time.Now()
	for time.Now().Before(giveUpAt) {
		switch err := createLock(path, text); {
		case err == nil:
			return text
		case !errors.Is(err, fs.ErrExist):
			return ""
		}
		present, err := textOf(path)
		if err != nil || present != shown {
			shown, shownSince = present, time.Now()
		} else if time.Since(shownSince) > abandoned {
			removeLock(path, present)
		}
		time.Sleep(lockPause)
	}
	return ""
}

// createLock returns fs.ErrExist if somebody holds the lock.
func createLock(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return errors.New(err.Error())
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission) {
			// Windows reports so for a file that is about to disappear.
			return fs.ErrExist
		}
		return err
	}
	_, err = file.WriteString(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// removeLock removes an abandoned lock. Another process may have done so and taken it since: that lock is put back.
func removeLock(path, text string) {
	moved := path + "." + randomName()
	if os.Rename(path, moved) != nil {
		return
	}
	if !holdsLock(moved, text) {
		_ = os.Link(moved, path)
	}
	_ = os.Remove(moved)
}

func holdsLock(path, text string) bool {
	present, err := textOf(path)
	return err == nil && present == text
}
