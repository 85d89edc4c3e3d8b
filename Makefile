# One tag set everywhere: changing it compiles SQLite again.
GO    := go
TAGS  := -tags sqlite_fts5
# Pinned, so that a new check never breaks an old commit.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    := 10s

.PHONY: run test race bench lint fuzz cover faults

# A conversation in the terminal; no key needed.
run:
	$(GO) run $(TAGS) ./cmd/bot

# Everything that proves the project, the architecture tests included.
test:
	$(GO) test $(TAGS) ./...

race:
	$(GO) test -race -short $(TAGS) ./...

# Every figure the project claims, each with its floor where it has one.
bench:
	$(GO) test $(TAGS) -run '^$$' -bench . -benchmem ./...

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	$(GO) vet $(TAGS) ./...
	@# Errors that people read are sentences, so ST1005 is off.
	$(GO) run $(STATICCHECK) -checks inherit,-ST1005 $(TAGS) ./...

# Each fuzz target for FUZZTIME; plain go test runs their seeds only.
fuzz:
	@set -e; for pkg in $$($(GO) list $(TAGS) ./...); do \
		for target in $$($(GO) test $(TAGS) -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test $(TAGS) -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

cover:
	$(GO) test $(TAGS) -coverpkg=./... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -n 1

# What must survive: processes killed at every named point, platforms and
# models that fail in every way the fakes know. Not cached, said aloud.
faults:
	PARLEY_KILLS=60 PARLEY_FAULTS=1 $(GO) test $(TAGS) -count=1 -timeout 60m -v -run 'Crash|Kill|Fault|Sixty' ./...
