package offline

import (
	"testing"

	"parley/internal/llm/llmtest"
)

func TestContract(t *testing.T) {
	llmtest.Contract(t, func(*testing.T) llmtest.Rig { return llmtest.Rig{Model: Model{}} })
}
