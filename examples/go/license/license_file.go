package license

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

type Expected struct {
	Issuer      string
	PublicKeys  map[string]string // kid to x
	ProductID   string
	Fingerprint string
	Now         int64 // seconds since 1970
}

type Claims struct {
	V          int      `json:"v"`
	Iss        string   `json:"iss"`
	Jti        string   `json:"jti"`
	Iat        int64    `json:"iat"`
	RenewAfter int64    `json:"renewAfter"`
	Exp        *int64   `json:"exp"`
	Fp         *string  `json:"fp"`
	Products   []string `json:"products"`
}

// ReadLicenseFile answers the claims of a file that is good here and now; nil for any other.
func ReadLicenseFile(text string, expected Expected) *Claims {
	text = strings.ReplaceAll(text, "-----BEGIN LATCHKEY LICENSE-----", "")
	text = strings.ReplaceAll(text, "-----END LATCHKEY LICENSE-----", "")
	parts := strings.Split(strings.Join(strings.Fields(text), ""), ".")
	if len(parts) != 3 {
		return nil
	}
	var header struct{ Alg, Typ, Kid string }
	if !read(parts[0], &header) || header.Typ != "latchkey-license+jwt" {
		return nil
	}
	if header.Alg != "EdDSA" && header.Alg != "Ed25519" {
		return nil
	}
	x, known := expected.PublicKeys[header.Kid]
	if !known {
		return nil
	}
	key, err := base64.RawURLEncoding.DecodeString(x)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return nil
	}
	var present map[string]json.RawMessage
	var claims Claims
	if !read(parts[1], &present) || !read(parts[1], &claims) {
		return nil
	}
	if present["fp"] == nil || present["exp"] == nil || claims.V != 1 || claims.Iss != expected.Issuer {
		return nil
	}
	opens := false
	for _, product := range claims.Products {
		opens = opens || product == expected.ProductID
	}
	if !opens {
		return nil
	}
	hash := sha256.Sum256([]byte("latchkey-fp:" + expected.Fingerprint))
	if claims.Fp != nil && *claims.Fp != base64.RawURLEncoding.EncodeToString(hash[:]) {
		return nil
	}
	if claims.Exp != nil && *claims.Exp <= expected.Now {
		return nil
	}
	return &claims
}

func read(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}
