package text

import (
	"encoding/json"
	"strconv"
)

// WholeNumbers turns the numbers of JSON that was decoded with UseNumber into ints where they
// are whole and into floats elsewhere. It changes v, and returns it.
func WholeNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.Atoi(string(v)); err == nil {
			return i
		}
		f, _ := v.Float64() // out of range is infinite
		return f
	case []any:
		for i := range v {
			v[i] = WholeNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = WholeNumbers(v[name])
		}
	}
	return v
}
