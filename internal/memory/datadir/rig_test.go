package datadir_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/sqlite"
	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/text/waittest"
)

func folder(dir string) datadir.Folder {
	return datadir.Folder{Dir: dir, Migrations: memory.Migrations()}
}

// batch is n messages, each of 2,000 characters.
func batch(from, n int) chat.Batch {
	b := chat.Batch{Platform: "p"}
	for i := from; i < from+n; i++ {
		b.Messages = append(b.Messages, chat.Message{ID: fmt.Sprint(i), Key: chat.Key{Platform: "p", Channel: "c"},
			From: chat.User{ID: "p:1"}, Text: strings.Repeat("x", 2000)})
	}
	return b
}

// exec changes a database beside everything.
func exec(t testing.TB, path, query string) {
	t.Helper()
	db := sqlite.Raw(path, "")
	_, err := db.Exec(query)
	must(t, err)
	must(t, db.Close())
}

// asWriter are settings like the writer's.
const asWriter = "_journal_mode=WAL&_txlock=immediate&_foreign_keys=on&_secure_delete=on"

var must = waittest.Must
