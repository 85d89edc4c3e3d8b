package playbook

import (
	"slices"
	"strings"
)

// stuck returns a step in a cycle from which no terminal step can be reached, with
// the cycle, or "".
func (j *Journey) stuck() (step, cycle string) {
	ends := map[string]bool{}
	for again := true; again; {
		again = false
		for _, s := range j.Steps {
			if ends[s.ID] {
				continue
			}
			if s.IsTerminal || slices.ContainsFunc(s.Transitions, func(t *Transition) bool { return ends[t.ToStep] }) {
				ends[s.ID], again = true, true
			}
		}
	}
	for _, s := range j.Steps {
		if path := j.loop(s.ID, ends); path != nil {
			return s.ID, strings.Join(path, " -> ")
		}
	}
	return "", ""
}

// loop returns a path from a step back to itself over steps that are not terminal.
func (j *Journey) loop(from string, ends map[string]bool) []string {
	before := map[string]string{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if ends[queue[0]] {
			continue
		}
		for _, tr := range j.steps[queue[0]].Transitions {
			if tr.ToStep == from {
				path := []string{from}
				for at := queue[0]; at != from; at = before[at] {
					path = append(path, at)
				}
				path = append(path, from)
				slices.Reverse(path)
				return path
			}
			if _, seen := before[tr.ToStep]; !seen {
				before[tr.ToStep] = queue[0]
				queue = append(queue, tr.ToStep)
			}
		}
	}
	return nil
}
