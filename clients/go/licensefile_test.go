package latchkey

import (
	"encoding/hex"
	"encoding/json"
	"math/rand"
	"os"
	"reflect"
	"testing"
	"time"
)

type expected struct {
	Issuer      *string
	PublicKeys  []PublicKey
	ProductID   *string
	Fingerprint *string
	Now         *int64
}

type vector struct {
	Name     string
	File     string
	Expected expected
	Claims   map[string]any
}

type vectors struct {
	Expected          expected
	Accepted, Refused []vector
}

func readVectors(t testing.TB) vectors {
	text, err := os.ReadFile("../../docs/vectors/license-files.json")
	if err != nil {
		t.Fatal(err)
	}
	var read vectors
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// optionsOf are those of all vectors, with the values of one.
func optionsOf(all, own expected) ReadOptions {
	if own.Issuer != nil {
		all.Issuer = own.Issuer
	}
	if own.PublicKeys != nil {
		all.PublicKeys = own.PublicKeys
	}
	if own.ProductID != nil {
		all.ProductID = own.ProductID
	}
	if own.Fingerprint != nil {
		all.Fingerprint = own.Fingerprint
	}
	if own.Now != nil {
		all.Now = own.Now
	}
	return ReadOptions{all.PublicKeys, *all.Issuer, *all.ProductID, *all.Fingerprint, time.Unix(*all.Now, 0)}
}

func TestLicenseFiles(t *testing.T) {
	all := readVectors(t)
	if len(all.Accepted) < 10 || len(all.Refused) < 30 {
		t.Fatal("vectors are missing")
	}
	for _, each := range all.Accepted {
		file, err := ReadLicenseFile(each.File, optionsOf(all.Expected, each.Expected))
		if err != nil {
			t.Errorf("%s: %v", each.Name, err)
		} else if !reflect.DeepEqual(file.Claims, each.Claims) {
			t.Errorf("%s: %v", each.Name, file.Claims)
		}
	}
	for _, each := range all.Refused {
		if file, err := ReadLicenseFile(each.File, optionsOf(all.Expected, each.Expected)); err == nil {
			t.Errorf("%s: accepted as %v", each.Name, file)
		}
	}
}

func TestNoChangeOfAFilePasses(t *testing.T) {
	all := readVectors(t)
	options := optionsOf(all.Expected, expected{})
	jws := withoutArmour(all.Accepted[0].File)
	draw := rand.New(rand.NewSource(8032))
	for round := 0; round < 3000; round++ {
		at := draw.Intn(len(jws))
		letters := []string{"", "A", "_", ".", "é", "\xff", "\x00", jws[at:at+1] + jws[at:at+1]}
		changed := jws[:at] + letters[draw.Intn(len(letters))] + jws[at+1:]
		if _, err := ReadLicenseFile(changed, options); err == nil && changed != jws {
			t.Fatalf("accepted with a change at %d", at)
		}
	}
}

func FuzzLicenseFile(f *testing.F) {
	all := readVectors(f)
	// The two lines share their hyphens.
	f.Add("-----BEGIN LATCHKEY LICENSE-----END LATCHKEY LICENSE-----")
	for _, each := range append(all.Accepted, all.Refused...) {
		f.Add(each.File)
	}
	genuine := map[string]bool{}
	for _, each := range all.Accepted {
		genuine[withoutArmour(each.File)] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ReadLicenseFile(text, optionsOf(all.Expected, expected{})); err == nil && !genuine[withoutArmour(text)] {
			t.Fatalf("accepted: %q", text)
		}
	})
}

type signatureCase struct{ Name, PublicKey, Message, Signature, Result string }

func TestSignatures(t *testing.T) {
	text, err := os.ReadFile("../conformance/vectors/ed25519.json")
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Cases []signatureCase }
	if err := json.Unmarshal(text, &read); err != nil || len(read.Cases) < 70 {
		t.Fatal(err, len(read.Cases))
	}
	for _, each := range read.Cases {
		is := isSigned(bytesOf(t, each.PublicKey), bytesOf(t, each.Message), bytesOf(t, each.Signature))
		if each.Result != "either" && is != (each.Result == "valid") {
			t.Errorf("%s: %v", each.Name, is)
		}
	}
}

func bytesOf(t *testing.T, hexadecimal string) []byte {
	bytes, err := hex.DecodeString(hexadecimal)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
