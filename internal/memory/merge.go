package memory

import (
	"bytes"
	"encoding/json"
)

// mergeObjects is a three-way merge of JSON objects: keys that mine added, changed or
// deleted since base are as in mine, all others as in theirs. Nested objects are merged key
// by key down to depth, and are values below. Anything else, such as "", is a value: mine if
// mine changed it.
func mergeObjects(base, mine, theirs string, depth int) string {
	return string(join([]byte(base), []byte(mine), []byte(theirs), depth))
}

func join(base, mine, theirs []byte, depth int) []byte {
	switch {
	case bytes.Equal(base, mine):
		return theirs
	case bytes.Equal(base, theirs) || depth < 0:
		return mine
	}
	was, is, other := object(base), object(mine), object(theirs)
	if is == nil || other == nil {
		return mine
	}
	for key := range was {
		if _, kept := is[key]; !kept {
			delete(other, key)
		}
	}
	for key, value := range is {
		if there, ok := other[key]; ok {
			value = join(was[key], value, there, depth-1)
		} else if bytes.Equal(was[key], value) {
			continue // they took it out
		}
		other[key] = value
	}
	all, err := json.Marshal(other)
	if err != nil {
		return mine // never: it was read as JSON
	}
	return all
}

// object returns the keys of a JSON object, nil for anything else.
func object(b []byte) (o map[string]json.RawMessage) {
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	return o
}
