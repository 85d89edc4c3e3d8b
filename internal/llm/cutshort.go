package llm

// WholeJSON ends the strings, lists and objects that a piece of JSON leaves open:
// models stop in the middle of an answer.
func WholeJSON(s string) string {
	var open []byte
	inside, escaped := false, false
	for _, c := range []byte(s) {
		switch {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		case inside:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if escaped {
		s = s[:len(s)-1]
	}
	if inside {
		s += `"`
	}
	for i := len(open) - 1; i >= 0; i-- {
		s += string(open[i])
	}
	return s
}
