// A licensed program: `go run . activate KEY`, `go run . check`, `go run . deactivate`.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"

	"example.com/app/license"
)

var sentences = map[string]string{
	"unlicensed":        "Please enter your license key.",
	"licensed":          "Licensed.",
	"grace":             "The license server cannot be reached. You can keep working.",
	"lapsed":            "Your license could not be checked. Please connect to the internet once.",
	"released":          "Your license is in use on as many machines as it allows.",
	"license_not_found": "This license key is unknown. Please check it for typing mistakes.",
	"wrong_product":     "This key is for another product.",
	"license_expired":   "Your license has expired. Please renew it; your key stays the same.",
	"license_revoked":   "This license has been revoked. Please write to support.",
	"machine_limit":     "Your license is in use on as many machines as it allows.",
	"activation_rate":   "Too many attempts. Please try again later.",
	"no_answer":         "The license server cannot be reached. Please try again later.",
}

// Commands that print the id which the operating system keeps of this machine.
var machineID = map[string][]string{
	"linux":   {"cat", "/etc/machine-id"},
	"darwin":  {"ioreg", "-rd1", "-c", "IOPlatformExpertDevice"},
	"windows": {"reg", "query", `HKLM\SOFTWARE\Microsoft\Cryptography`, "/v", "MachineGuid"},
}

var uuid = regexp.MustCompile(`[0-9A-Fa-f]{8}-?(?:[0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}`)

// machineFingerprint is hashed with the product, so that it tells other vendors nothing.
func machineFingerprint(productID string) (string, error) {
	command := machineID[runtime.GOOS]
	if command == nil {
		return "", errors.New("this system has no id that is known here")
	}
	printed, err := exec.Command(command[0], command[1:]...).Output()
	if err != nil {
		return "", err
	}
	id := uuid.FindString(string(printed))
	if id == "" {
		return "", errors.New("this system has no id that is known here")
	}
	hash := sha256.Sum256([]byte(productID + ":" + id))
	return hex.EncodeToString(hash[:]), nil
}

func run(command, licenseKey string) (bool, error) {
	text, err := os.ReadFile("settings.json")
	if err != nil {
		return false, err
	}
	var settings license.Settings
	if err := json.Unmarshal(text, &settings); err != nil {
		return false, err
	}
	fingerprint, err := machineFingerprint(settings.ProductID)
	if err != nil {
		return false, err
	}
	hostname, _ := os.Hostname()
	licensing, err := license.New(settings, fingerprint, hostname, "license.json")
	if err != nil {
		return false, err
	}
	if command == "deactivate" {
		if licensing.Deactivate() {
			fmt.Println("This machine is free.")
			return true, nil
		}
		fmt.Println("The license server cannot be reached.")
		return false, nil
	}
	verdict := licensing.Check()
	if command == "activate" {
		verdict = licensing.Activate(licenseKey)
	}
	name := verdict.Code
	if name == "" {
		name = verdict.Status
	}
	sentence, isKnown := sentences[name]
	if !isKnown {
		sentence = "Your license cannot be used. Please write to support."
	}
	fmt.Println(sentence)
	return verdict.MayRun(), nil
}

func main() {
	args := append(os.Args[1:], "", "")
	mayRun, err := run(args[0], args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !mayRun {
		os.Exit(1)
	}
}
