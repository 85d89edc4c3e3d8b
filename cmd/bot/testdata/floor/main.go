// Command floor is the bare loop that the bot's figures are measured against: it
// polls, asks the model and sends, one message after the other, and keeps nothing.
package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	telegram := os.Getenv("BOT_TELEGRAM_API_URL") + "/bot" + os.Getenv("BOT_TELEGRAM_TOKEN") + "/"
	model := os.Getenv("BOT_MODEL_BASE_URL") + "/chat/completions"
	for offset := int64(0); ; {
		var updates struct {
			Result []struct {
				ID      int64 `json:"update_id"`
				Message struct {
					Chat struct{ ID int64 }
					Text string
				}
			}
		}
		if call(telegram+"getUpdates", map[string]any{"offset": offset, "timeout": 20}, &updates) != nil {
			return
		}
		for _, u := range updates.Result {
			offset = u.ID + 1
			var said struct {
				Choices []struct{ Message struct{ Content string } }
			}
			ask := map[string]any{"model": "test", "messages": []any{map[string]string{"role": "user", "content": u.Message.Text}}}
			if call(model, ask, &said) != nil || len(said.Choices) == 0 {
				return
			}
			_ = call(telegram+"sendMessage", map[string]any{"chat_id": u.Message.Chat.ID, "text": said.Choices[0].Message.Content}, &struct{}{})
		}
	}
}

func call(url string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(resp.Body).Decode(out)
}
