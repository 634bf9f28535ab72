package latchkey

// maxKeyLists is the number of lists that are examined.
const maxKeyLists = 16

// followKeyLists returns every key that the signed lists lead to, the compiled-in ones first, and the lists that led to
// them. Lists that are not genuine, and the ids in stolen, are ignored.
//
// The service publishes lists of its keys, each signed by an older key, so that a compiled-in key leads to all later
// ones. The client stores the signed lists, never bare keys, because a user could add keys by editing the state.
func followKeyLists(compiledIn []PublicKey, issuer string, lists, stolen []string) ([]PublicKey, []string) {
	keys := append([]PublicKey{}, compiledIn...)
	known := map[string]bool{}
	for _, kid := range stolen {
		known[kid] = true
	}
	for _, key := range compiledIn {
		known[key.Kid] = true
	}
	used := []string{}
	left := lists[:min(len(lists), maxKeyLists)]
	for hasMoved := true; hasMoved; {
		hasMoved = false
		var open []string
		for _, list := range left {
			listed, isGenuine := keysIn(list, keys, issuer)
			if !isGenuine {
				open = append(open, list)
				continue
			}
			hasMoved = true
			before := len(keys)
			for _, key := range listed {
				if !known[key.Kid] {
					known[key.Kid] = true
					keys = append(keys, key)
				}
			}
			if len(keys) > before {
				used = append(used, list)
			}
		}
		left = open
	}
	return keys, used
}

// keysIn returns the keys of a list that a known key signed.
func keysIn(list string, known []PublicKey, issuer string) ([]PublicKey, bool) {
	payload, err := verifyJWS(list, "latchkey-keys+jwt", known)
	if err != nil {
		return nil, false
	}
	listed, isList := payload["keys"].([]any)
	if payload["iss"] != issuer || !isList {
		return nil, false
	}
	var keys []PublicKey
	for _, each := range listed {
		key, _ := each.(object)
		kid, hasKid := key["kid"].(string)
		x, hasX := key["x"].(string)
		if hasKid && hasX {
			keys = append(keys, PublicKey{kid, x})
		}
	}
	return keys, true
}
