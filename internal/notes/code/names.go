package code

import (
	"strings"
	"unicode"
)

// Qualified splits Type.Method, (*Type).Method and Type::method.
func Qualified(s string) (owner, name string) {
	s = strings.TrimSuffix(strings.TrimSpace(strings.ToValidUTF8(s, "")), "()")
	s = strings.NewReplacer("::", ".", "(", "", ")", "", "*", "", "#", ".").Replace(s)
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s
	}
	return s[strings.LastIndexByte(s[:i], '.')+1 : i], s[i+1:]
}

// Words splits a name as people say it: getUserName is "get User Name".
func Words(name string) string {
	var b strings.Builder
	var last rune
	runes := []rune(name)
	for i, r := range runes {
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && next) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
