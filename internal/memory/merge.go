package memory

import (
	"bytes"
	"encoding/json"
)

// mergeObjects returns theirs with what mine changed of base: keys that mine added,
// changed or took out are as in mine, all others as in theirs. Objects within
// are joined key by key down to depth of them, and are values below. What is no
// object, "" among it, is a value: mine if mine changed it.
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
