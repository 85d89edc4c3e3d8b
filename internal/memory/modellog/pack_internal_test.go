package modellog

import (
	"fmt"
	"strings"
	"testing"
)

// Short parts of a request are joined up to the next piece.
func TestPack(t *testing.T) {
	long := strings.Repeat("long ", minPiece)
	var list []string
	for i, said := range []string{"a", "b", long, "c", "d", "e"} {
		list = append(list, fmt.Sprintf(`{"n":%d,"content":%q}`, i, said))
	}
	request := `{"model":"m",` + messages + strings.Join(list, ",") + `],"temperature":1}`
	out, err := new(packer).pack(Call{}, request, "")
	if err != nil || len(out.parts) != 3 || len(out.pieces) != 1 || out.pieces[1] == nil {
		t.Fatalf("%d parts, %d pieces, %v", len(out.parts), len(out.pieces), err)
	}
	if out.parts[0]+list[2]+out.parts[2] != request {
		t.Errorf("the parts are %q", out.parts)
	}
}
