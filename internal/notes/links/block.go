package links

import (
	"strings"

	"parley/internal/text"
)

// Block is a paragraph or a list item to which notes refer by its id, as Logseq does it.
type Block struct{ ID, Text string }

// maxBlock limits the characters of a block that are shown elsewhere, maxBlocks how many blocks
// and references of one note count.
const (
	maxBlock  = 500
	maxBlocks = 2000
)

const blockID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

var (
	reference = text.Pattern(`\(\((` + blockID + `)\)\)`)
	named     = text.Pattern(`^[ \t]*(?:[-*+] )?id:: *(` + blockID + `)[ \t\r]*$`)
	property  = text.Pattern(`^[\p{L}][\p{L}\p{N}_/.-]*::(?:[ \t]|$)`)
)

// Blocks lists the blocks of a note that have an id: a line "id:: …" after their first line.
func Blocks(note string) (all []Block) {
	if !strings.Contains(note, "id:: ") {
		return nil
	}
	lines := strings.Split(note, "\n")
	for i, line := range lines {
		if m := named().FindStringSubmatch(line); m != nil && len(all) < maxBlocks {
			if said := block(lines, i); said != "" {
				all = append(all, Block{strings.ToLower(m[1]), said})
			}
		}
	}
	return all
}

// block returns the text of the block whose id stands in a line, on one line and without
// properties.
func block(lines []string, at int) string {
	from, to := at, at+1
	for from > 0 && !item().MatchString(strings.TrimSpace(lines[from])) && strings.TrimSpace(lines[from-1]) != "" {
		from--
	}
	for to < len(lines) && strings.TrimSpace(lines[to]) != "" && !item().MatchString(strings.TrimSpace(lines[to])) {
		to++
	}
	var said []string
	for _, line := range lines[from:to] {
		line = strings.TrimSpace(line) + " "
		line = strings.TrimSpace(line[len(item().FindString(line)):])
		if !property().MatchString(line) {
			said = append(said, strings.Fields(line)...)
		}
	}
	return text.Clip(strings.Join(said, " "), maxBlock)
}

// References lists the ids of the blocks to which a text refers as ((id)), each once.
func References(note string) (ids []string) {
	if !strings.Contains(note, "((") {
		return nil
	}
	seen := map[string]bool{}
	for _, m := range reference().FindAllStringSubmatch(note, maxBlocks) {
		if id := strings.ToLower(m[1]); !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// Shown returns a text with the words of blocks in place of references to them. blocks are by id;
// a reference to another stays.
func Shown(note string, blocks map[string]string) string {
	return reference().ReplaceAllStringFunc(note, func(found string) string {
		if said, ok := blocks[strings.ToLower(found[2:len(found)-2])]; ok {
			return said
		}
		return found
	})
}
