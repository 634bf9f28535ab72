package latchkey

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"
)

// PublicKey is a key that signs license files.
type PublicKey struct {
	Kid string
	// X is the public part as in a JWK, base64url.
	X string
}

// LicenseFile is the content of a genuine license file.
type LicenseFile struct {
	Issued time.Time
	// RenewAfter is the time from which the app asks for a newer file.
	RenewAfter time.Time
	// Expires is the end of the file; zero for no end.
	Expires time.Time
	// Purpose is grace for a file that the app fetched, and offline or borrow for one that an operator made.
	Purpose     string
	KeyHint     string
	ProductID   string
	Variant     string
	LicenseType string
	// LicenseExpires is zero for a perpetual license.
	LicenseExpires time.Time
	// Claims has every field by its name in docs/apps/license-files.md.
	Claims map[string]any
}

// ReadOptions are the conditions that a valid file must meet. Compile the keys and the issuer into the app.
type ReadOptions struct {
	PublicKeys []PublicKey
	// Issuer is urn:latchkey:... of your service.
	Issuer    string
	ProductID string
	// Fingerprint of this machine; empty accepts files for any machine.
	Fingerprint string
	// Now is the present time if it is zero.
	Now time.Time
}

// ReadLicenseFile verifies a license file without a client, for tools and servers. The error is a *BadLicenseFile.
func ReadLicenseFile(text string, options ReadOptions) (*LicenseFile, error) {
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	now := options.Now.UnixMilli()
	return verifyLicenseFile(text, options, &now)
}

const (
	// maxFileText has room for 50 features with texts of 200 characters.
	maxFileText = 65_536
	beginOfFile = "-----BEGIN LATCHKEY LICENSE-----"
	endOfFile   = "-----END LATCHKEY LICENSE-----"
)

func bad(reason, text string) error {
	return &BadLicenseFile{reason, text}
}

// verifyLicenseFile returns the content of a file. now is in milliseconds; nil accepts expired files, too.
func verifyLicenseFile(text string, expected ReadOptions, now *int64) (*LicenseFile, error) {
	if utf8.RuneCountInString(text) > maxFileText {
		return nil, bad("format", "the file is too large")
	}
	claims, err := verifyJWS(withoutArmour(text), "latchkey-license+jwt", expected.PublicKeys)
	if err != nil {
		return nil, err
	}
	file := fileIn(claims)
	if file == nil {
		return nil, bad("claims", "the file is of a later version than this app understands")
	}
	if claims["iss"] != expected.Issuer {
		return nil, bad("issuer", "the file comes from another service")
	}
	if !contains(claims["products"].([]any), expected.ProductID) {
		return nil, bad("product", "the file is for another product")
	}
	machine, hasMachine := claims["fp"].(string)
	if hasMachine && expected.Fingerprint != "" && machine != fingerprintHash(expected.Fingerprint) {
		return nil, bad("machine", "the file is for another machine")
	}
	if now != nil && !file.Expires.IsZero() && file.Expires.UnixMilli() <= *now {
		return nil, bad("expired", "the file has expired")
	}
	return file, nil
}

func contains(values []any, wanted string) bool {
	for _, value := range values {
		if value == wanted {
			return true
		}
	}
	return false
}

// withoutArmour returns the compact JWS inside the armour; a JWS without armour is accepted, too.
func withoutArmour(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	hasRoom := len(text) >= len(beginOfFile)+len(endOfFile)
	if hasRoom && strings.HasPrefix(text, beginOfFile) && strings.HasSuffix(text, endOfFile) {
		text = text[len(beginOfFile) : len(text)-len(endOfFile)]
	}
	return strings.Join(strings.Fields(text), "")
}

// verifyJWS verifies a compact JWS with the key that its header names, and returns its payload.
func verifyJWS(jws, kind string, publicKeys []PublicKey) (object, error) {
	parts := strings.Split(jws, ".")
	if len(parts) != 3 {
		return nil, bad("format", "this is not a license file")
	}
	header, payload, signature := objectIn(parts[0]), objectIn(parts[1]), decodeBase64URL(parts[2])
	if header == nil || payload == nil || signature == nil {
		return nil, bad("format", "this is not a license file")
	}
	// RFC 9864 renames the algorithm. Both names mean the same here, because all keys are Ed25519.
	if header["alg"] != "EdDSA" && header["alg"] != "Ed25519" {
		return nil, bad("algorithm", "the file is signed in an unknown way")
	}
	if header["typ"] != kind {
		return nil, bad("type", "this is a file of another kind")
	}
	for _, key := range publicKeys {
		if header["kid"] != key.Kid {
			continue
		}
		if !isSigned(decodeBase64URL(key.X), []byte(parts[0]+"."+parts[1]), signature) {
			return nil, bad("signature", "the file was changed, or is not genuine")
		}
		return payload, nil
	}
	return nil, bad("key", "the file is signed with a key that this app does not know")
}

func isSigned(publicKey, message, signature []byte) bool {
	return len(publicKey) == ed25519.PublicKeySize && ed25519.Verify(publicKey, message, signature)
}

// fileIn returns nil for claims of another form.
func fileIn(claims object) *LicenseFile {
	for _, name := range []string{"iss", "jti", "lic", "keyHint", "productId", "variant", "licenseType", "purpose"} {
		if _, isText := claims[name].(string); !isText {
			return nil
		}
	}
	for _, name := range []string{"exp", "licenseExpiresAt", "fp"} {
		value, isPresent := claims[name]
		_, isText := value.(string)
		_, isWhole := wholeIn(value)
		if !isPresent || (value != nil && !(name == "fp" && isText) && !(name != "fp" && isWhole)) {
			return nil
		}
	}
	version, _ := wholeIn(claims["v"])
	issued, isIssued := wholeIn(claims["iat"])
	renewAfter, isRenewed := wholeIn(claims["renewAfter"])
	products, areListed := claims["products"].([]any)
	purpose := claims["purpose"].(string)
	isKnown := purpose == "grace" || purpose == "offline" || purpose == "borrow"
	if version != 1 || !isIssued || !isRenewed || !areListed || !isKnown {
		return nil
	}
	for _, product := range products {
		if _, isText := product.(string); !isText {
			return nil
		}
	}
	timeOrZero := func(name string) time.Time {
		if seconds := wholeOrNil(claims[name]); seconds != nil {
			return timeOf(*seconds * second)
		}
		return time.Time{}
	}
	return &LicenseFile{
		Issued: timeOf(issued * second), RenewAfter: timeOf(renewAfter * second), Expires: timeOrZero("exp"),
		Purpose: purpose, KeyHint: claims["keyHint"].(string), ProductID: claims["productId"].(string),
		Variant: claims["variant"].(string), LicenseType: claims["licenseType"].(string),
		LicenseExpires: timeOrZero("licenseExpiresAt"), Claims: claims,
	}
}

// fingerprintHash is the hash by which a license file names a machine.
func fingerprintHash(fingerprint string) string {
	hash := sha256.Sum256([]byte("latchkey-fp:" + fingerprint))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

func objectIn(part string) object {
	data := decodeBase64URL(part)
	if data == nil || !utf8.Valid(data) {
		return nil
	}
	return parseObject(string(data))
}

// decodeBase64URL returns nil unless the text is the only spelling of its bytes.
func decodeBase64URL(text string) []byte {
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return data
}
