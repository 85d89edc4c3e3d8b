package code

import (
	"strings"

	"parley/internal/text"
)

var (
	definition = text.Pattern(
		`^\s*(?:(?:@[\w.]+(?:\([^()]*\))?|export|default|pub(?:\([a-z ]*\))?|(?:public|private|protected|internal|fileprivate|open)(?:\([a-z]+\)|\[\w+\])?|static|async|abstract|final|sealed|unsafe|inline|virtual|override|partial|data|suspend|tailrec|operator|infix|external|companion|implicit|lazy|mutating|nonmutating|convenience|required|nonisolated|indirect)\s+)*(?:class\s+func|func|def|defp|defmodule|class|function\*?|fn|fun|struct|interface|type|enum|trait|module|record|object|protocol|namespace|message|service|CREATE TABLE|create table)\s+(?:<[^<>]*>\s*)?(?:\([^()]*\)\s*)?(?:[\p{L}_][\p{L}\p{N}_]*\.)?([\p{L}_$][\p{L}\p{N}_$]*)`)
	arrow = text.Pattern(
		`^(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\([^()]*\)|[\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]*)?=>`)
)

// lineSymbols lists definitions as most languages write them, line by line.
func lineSymbols(lines []string) (all []Symbol) {
	owner := ""
	for i, line := range lines {
		if len(all) == maxSymbols {
			break
		}
		if len(line) > maxLine { // nobody wrote that
			continue
		}
		m := definition().FindStringSubmatch(line)
		if m == nil {
			m = arrow().FindStringSubmatch(line)
		}
		if m == nil {
			continue
		}
		s := Symbol{Name: m[1], Line: i + 1}
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			s.Owner = owner
		} else {
			owner = m[1]
		}
		all = append(all, s)
	}
	return all
}
