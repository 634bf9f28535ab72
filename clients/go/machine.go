package latchkey

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const (
	idTries      = 3
	idPause      = 100 * time.Millisecond
	programLimit = 5 * time.Second
)

var errEmptyFingerprint = errors.New("it is empty")

var notOfFolders = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// StateDirectory returns the default folder of the stored state: one for each product, of this user.
func StateDirectory(productID string) (string, error) {
	home, err := os.UserHomeDir()
	base := filepath.Join(home, ".local", "state")
	given := os.Getenv("XDG_STATE_HOME")
	switch runtime.GOOS {
	case "windows":
		base, given = filepath.Join(home, "AppData", "Local"), os.Getenv("LOCALAPPDATA")
	case "darwin", "ios":
		base, given = filepath.Join(home, "Library", "Application Support"), ""
	}
	if given != "" {
		base, err = given, nil
	}
	return filepath.Join(base, "latchkey", notOfFolders.ReplaceAllString(productID, "_")), err
}

// MachineFingerprint returns the fingerprint of this machine: the id that the system keeps, hashed together with the
// product. The hash cannot be reversed, and fingerprints of two products cannot be matched.
//
// In a container, or if the system keeps no id, it is made from a random id in the file machine-id of the folder. It
// fails if the id cannot be read at the moment: a random one would be another machine to the service.
func MachineFingerprint(productID, directory string) (string, error) {
	id, err := machineID(directory)
	if err != nil {
		return "", err
	}
	hash := hmac.New(sha256.New, []byte(id))
	hash.Write([]byte("latchkey:" + productID))
	return "v1." + base64.RawURLEncoding.EncodeToString(hash.Sum(nil))[:22], nil
}

func machineID(directory string) (string, error) {
	inContainer, err := isInContainer()
	if err != nil {
		return "", err
	}
	if !inContainer {
		if id, err := systemID(); err != nil || id != "" {
			return id, err
		}
	}
	return keptID(directory)
}

var (
	linuxID     = regexp.MustCompile(`^[0-9a-f]{32}$`)
	macID       = regexp.MustCompile(`"IOPlatformUUID"\s*=\s*"([0-9A-Fa-f-]{36})"`)
	windowsID   = regexp.MustCompile(`MachineGuid\s+REG_SZ\s+([0-9A-Fa-f-]{36})`)
	ofContainer = regexp.MustCompile(`kubepods|docker|containerd|lxc`)
)

// systemID returns an empty text if the system keeps no id.
func systemID() (string, error) {
	switch runtime.GOOS {
	case "darwin":
		text, err := textOfProgram("/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")
		return idIn(macID, text), err
	case "windows":
		program := filepath.Join(os.Getenv("SystemRoot"), "System32", "reg.exe")
		key := `HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Cryptography`
		text, err := textOfProgram(program, "query", key, "/v", "MachineGuid", "/reg:64")
		return idIn(windowsID, text), err
	}
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		text, err := textOfSystemFile(path)
		if err != nil {
			return "", err
		}
		// An image that was never started has no id, or zeros.
		id := strings.ToLower(strings.TrimSpace(text))
		if linuxID.MatchString(id) && strings.Trim(id, "0") != "" {
			return id, nil
		}
	}
	return "", nil
}

func idIn(form *regexp.Regexp, text string) string {
	found := form.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return strings.ToLower(found[1])
}

// isInContainer tells whether this is a container: those of one image share its id, or get a new one at each start.
func isInContainer() (bool, error) {
	if runtime.GOOS != "linux" {
		return false, nil
	}
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(path); err == nil {
			return true, nil
		}
	}
	text, err := textOfSystemFile("/proc/self/cgroup")
	return ofContainer.MatchString(text), err
}

// textOfSystemFile returns an empty text if there is none for this app.
func textOfSystemFile(path string) (string, error) {
	return tried(func() (string, bool, error) {
		data, err := os.ReadFile(path)
		isLasting := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
		return string(data), isLasting, err
	})
}

// textOfProgram returns an empty text if the program does not exist or ended with an error.
func textOfProgram(program string, args ...string) (string, error) {
	return tried(func() (string, bool, error) {
		ctx, cancel := context.WithTimeout(context.Background(), programLimit)
		defer cancel()
		output, err := exec.CommandContext(ctx, program, args...).Output()
		var ended *exec.ExitError
		// Other statuses are those of signals, or of crashes on Windows.
		hasStatus := errors.As(err, &ended) && ended.ExitCode() >= 0 && ended.ExitCode() <= 255
		isLasting := ctx.Err() == nil && (hasStatus || errors.Is(err, fs.ErrNotExist))
		return string(output), isLasting, err
	})
}

// tried repeats a reading that may succeed the next time. A failure that lasts is an absent text.
func tried(read func() (text string, isLasting bool, err error)) (string, error) {
	for tries := 1; ; tries++ {
		text, isLasting, err := read()
		if err == nil {
			return text, nil
		}
		if isLasting {
			return "", nil
		}
		if tries == idTries {
			return "", err
		}
		time.Sleep(idPause)
	}
}

// keptID returns the random id of a folder. If several processes create it at once, all of them get the first one.
func keptID(directory string) (string, error) {
	path := filepath.Join(directory, "machine-id")
	known, absent := os.ReadFile(path)
	if id := strings.TrimSpace(string(known)); absent == nil && id != "" {
		return id, nil
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return "", err
	}
	temporary := path + "." + randomName() + ".tmp"
	defer os.Remove(temporary)
	if err := writeFile(temporary, randomUUID()); err != nil {
		return "", err
	}
	if absent != nil {
		// It fails if another process has created the file by now.
		_ = os.Link(temporary, path)
	} else if err := os.Rename(temporary, path); err != nil {
		// An empty file, as after a power cut, is replaced.
		return "", err
	}
	made, err := os.ReadFile(path)
	return strings.TrimSpace(string(made)), err
}

func randomUUID() string {
	name := []byte(randomName())
	name[12], name[16] = '4', "89ab"[name[16]%4]
	return string(name[:8]) + "-" + string(name[8:12]) + "-" + string(name[12:16]) + "-" + string(name[16:20]) + "-" +
		string(name[20:])
}
