package latchkey

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Storage stores one text between starts. If a function fails, the client goes on in memory.
type Storage interface {
	// Read returns the text of the last write. Without any, the error is fs.ErrNotExist.
	Read() (string, error)
	// Write replaces the whole text.
	Write(text string) error
	// Remove removes the text.
	Remove() error
}

// MemoryStorage keeps the state for the life of the process: for tests, and for servers that activate at each start.
func MemoryStorage() Storage { return &memoryStorage{} }

type memoryStorage struct{ text *string }

func (storage *memoryStorage) Read() (string, error) {
	if storage.text == nil {
		return "", fs.ErrNotExist
	}
	return *storage.text, nil
}

func (storage *memoryStorage) Write(text string) error {
	storage.text = &text
	return nil
}

func (storage *memoryStorage) Remove() error {
	storage.text = nil
	return nil
}

// sharedStorage is a storage that several processes of a machine share.
type sharedStorage interface {
	Storage
	// exclusively makes a change, a reading and a writing, while no other process makes one.
	exclusively(change func() error) error
	// setAside copies an unreadable text, for support to inspect.
	setAside(text string)
	// writtenAt is the time of the last write by the machine's clock; nil if it is unknown.
	writtenAt() *int64
	// beat records that this client is alive.
	beat()
	// leave removes the record of this client. It returns whether it was the last one of the machine.
	leave() bool
}

// replaceFor is the time for which the client tries to replace a file: Windows refuses it while a virus scanner reads the
// file.
const replaceFor = time.Second

// lockRepeats says how often a change is made again because another process took the lock for abandoned.
const lockRepeats = 3

var errLostLock = errors.New("another process holds the lock")

// fileStorage stores the state in the file state of a folder, which the clients of all languages share.
type fileStorage struct {
	folder string
	own    string
	// silent is the time after which a client of the machine counts as gone.
	silent time.Duration
	// held is the text of the lock that this storage holds; empty without one.
	held string
}

func newFileStorage(folder string, silent time.Duration) *fileStorage {
	own := filepath.Join(folder, "processes", strconv.Itoa(os.Getpid())+"."+randomName())
	return &fileStorage{folder: folder, own: own, silent: silent}
}

func (storage *fileStorage) place(name string) string { return filepath.Join(storage.folder, name) }

func (storage *fileStorage) Read() (string, error) { return textOf(storage.place("state")) }

func (storage *fileStorage) Write(text string) error {
	return writeWhole(storage.place("state"), text, storage.mustHold)
}

func (storage *fileStorage) Remove() error {
	if err := storage.mustHold(); err != nil {
		return err
	}
	if err := os.Remove(storage.place("state")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (storage *fileStorage) setAside(text string) {
	_ = writeWhole(storage.place("state.broken"), text, func() error { return nil })
}

func (storage *fileStorage) mustHold() error {
	if storage.held != "" && !holdsLock(storage.place("lock"), storage.held) {
		return errLostLock
	}
	return nil
}

func (storage *fileStorage) exclusively(change func() error) error {
	for repeats := 0; ; repeats++ {
		if repeats < lockRepeats {
			storage.held = takeLock(storage.place("lock"))
		}
		err := change()
		if storage.held != "" && holdsLock(storage.place("lock"), storage.held) {
			_ = os.Remove(storage.place("lock"))
		}
		storage.held = ""
		if !errors.Is(err, errLostLock) {
			return err
		}
	}
}

func (storage *fileStorage) writtenAt() *int64 {
	var newest *int64
	_ = filepath.WalkDir(storage.folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			if at := info.ModTime().UnixMilli(); newest == nil || at > *newest {
				newest = &at
			}
		}
		return nil
	})
	return newest
}

func (storage *fileStorage) beat() {
	now := time.Now()
	if os.Chtimes(storage.own, now, now) == nil || os.MkdirAll(filepath.Dir(storage.own), 0o700) != nil {
		return
	}
	if file, err := os.OpenFile(storage.own, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = file.Close()
	}
}

func (storage *fileStorage) leave() bool {
	_ = os.Remove(storage.own)
	isLast := true
	folder := filepath.Dir(storage.own)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		info, err := entry.Info()
		name, _, _ := strings.Cut(entry.Name(), ".")
		process, notNumber := strconv.Atoi(name)
		isRecent := err == nil && time.Since(info.ModTime()) < storage.silent
		if notNumber == nil && isRecent && isAlive(process) {
			isLast = false
		} else {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
	return isLast
}

// textOf reads at most so much of a file as makes clear that it is no state.
func textOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4*maxStateText+1))
	return strings.ToValidUTF8(string(data), "\ufffd"), err
}

// writeWhole writes a temporary file and renames it, so that a crash leaves the old or the new text.
func writeWhole(path, text string, mayReplace func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary := path + "." + randomName() + ".tmp"
	err := writeFile(temporary, text)
	if err == nil {
		err = mayReplace()
	}
	if err == nil {
		err = replace(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

// writeFile creates a file for this user alone, and flushes it to the disk.
func writeFile(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

func replace(temporary, path string) error {
	giveUpAt := time.Now().Add(replaceFor)
	for {
		err := os.Rename(temporary, path)
		if err == nil || runtime.GOOS != "windows" || time.Now().After(giveUpAt) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

var _ sharedStorage = (*fileStorage)(nil)

// keeper keeps the state in the storage. If that fails, it keeps it in memory, because a full disk must not stop a
// customer.
type keeper struct {
	storage Storage
	shared  sharedStorage
	warn    func(text string)
	// last is the last state known to this process; nil before the first reading.
	last *storedState
	// text was read or written last; nil for none.
	text *string
	// broken is the unreadable text that was set aside.
	broken *string
	// isAhead tells whether the last write failed, so that the last state is newer than the stored one.
	isAhead bool
	// isUnread tells whether every reading has failed so far, as with a locked keychain.
	isUnread bool
	// problem says why the state cannot be read or written; empty if it can.
	problem string
}

func newKeeper(storage Storage, warn func(string)) *keeper {
	shared, _ := storage.(sharedStorage)
	return &keeper{storage: storage, shared: shared, warn: warn}
}

// known returns the last state, and an empty one without any.
func (keeper *keeper) known() storedState {
	if keeper.last == nil {
		return emptyState()
	}
	return *keeper.last
}

// read returns the present state, which another process may have changed.
func (keeper *keeper) read() storedState {
	if keeper.isAhead && keeper.last != nil {
		return *keeper.last
	}
	text, err := keeper.stored()
	if err != nil {
		keeper.failed("read", err)
		keeper.isUnread = keeper.last == nil
		return keeper.known()
	}
	keeper.problem, keeper.isUnread, keeper.text = "", false, text
	state := keeper.known()
	if text == nil {
		state = emptyState()
	} else if read := readState(*text); read != nil {
		state = *read
	} else {
		keeper.setAside(*text)
	}
	keeper.last = &state
	return state
}

func (keeper *keeper) setAside(text string) {
	keeper.problem = "the stored state cannot be read"
	if same(keeper.broken, &text) {
		return
	}
	keeper.broken = &text
	keeper.warn(keeper.problem)
	if keeper.shared != nil {
		keeper.shared.setAside(text)
	}
}

// isChanged tells whether the stored text is neither the one that was read last nor the one that was written last.
func (keeper *keeper) isChanged() bool {
	text, err := keeper.stored()
	return err != nil || !same(text, keeper.text)
}

// stored returns the stored text; nil for none.
func (keeper *keeper) stored() (*string, error) {
	text, err := keeper.storage.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &text, err
}

// update makes the next state of the present one, or leaves it for nil. It returns the present state after that.
func (keeper *keeper) update(next func(present storedState) *storedState) storedState {
	var present storedState
	change := func() error {
		present = keeper.read()
		state := next(present)
		if state == nil {
			return nil
		}
		present, keeper.last = *state, state
		var text *string
		var err error
		if state.isEmpty() {
			err = keeper.storage.Remove()
		} else {
			written := jsonOf(state)
			text, err = &written, keeper.storage.Write(written)
		}
		if err == nil {
			keeper.text, keeper.problem, keeper.isAhead = text, "", false
		}
		return err
	}
	err := error(nil)
	if keeper.shared != nil {
		err = keeper.shared.exclusively(change)
	} else {
		err = change()
	}
	if err != nil {
		keeper.isAhead = true
		keeper.failed("write", err)
		return keeper.known()
	}
	return present
}

// isEmpty tells whether there is nothing to store.
func (state *storedState) isEmpty() bool {
	return state.LicenseKey == nil && state.Token == nil && state.Facts == nil && state.File == nil &&
		len(state.KeyLists) == 0 && state.latest() == nil && state.Times.areEmpty() && len(state.Uses) == 0
}

func (keeper *keeper) failed(what string, err error) {
	isNew := keeper.problem == ""
	keeper.problem = "cannot " + what + " the state: " + err.Error()
	if isNew {
		keeper.warn(keeper.problem)
	}
}

// once guards the log of the same failure, which is tried again every minute.
type once struct {
	mutex sync.Mutex
	last  string
}

func (guard *once) isNew(text string) bool {
	guard.mutex.Lock()
	defer guard.mutex.Unlock()
	isNew := guard.last != text
	guard.last = text
	return isNew
}
