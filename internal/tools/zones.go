package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/internal/chat"
	"parley/internal/text/times"
)

// suggestZone returns the zones with a place whose name begins as what was typed,
// the ones named so themselves first.
func suggestZone(_ context.Context, _ chat.Message, typed string) []string {
	typed = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(typed), " ", "_"))
	type found struct {
		name string
		far  int
	}
	var list []found
	for name := range strings.Lines(times.ZoneNames) {
		name = strings.TrimSpace(name)
		lower := strings.ToLower(name)
		city := lower[strings.LastIndexByte(lower, '/')+1:]
		switch {
		case strings.HasPrefix(city, typed):
			list = append(list, found{name, 0})
		case strings.HasPrefix(lower, typed):
			list = append(list, found{name, 1})
		case strings.Contains(lower, typed):
			list = append(list, found{name, 2})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(a.far, b.far) })
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	return names
}
