# One tag set everywhere: changing it compiles SQLite again.
GO    := go
TAGS  := -tags sqlite_fts5
# Pinned, so that a new check never breaks an old commit.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    := 10s
PYTHON      := python3

.PHONY: citations clients cluster conformance costs crossings lane matrix notes recall times translations walls whatif run test postgres race bench lint fuzz cover faults live templates dojo page-check profile recordings release release-check

# A conversation in the terminal; no key needed.
run:
	$(GO) run $(TAGS) ./cmd/bot

# Everything that proves the project, the architecture tests included.
test:
	$(GO) test $(TAGS) ./...

# The rooms of the rows, and a whole bot that is killed, on a PostgreSQL server that the
# tests start (or PARLEY_POSTGRES names). Left out is what takes minutes, as in a short run.
postgres:
	PARLEY_TEST_ENGINE=postgres $(GO) test -short $(TAGS) ./internal/memory ./internal/memory/facts ./internal/memory/search ./internal/memory/factsfile ./internal/agent \
		./internal/command/gate ./internal/memory/modellog ./internal/app/console ./internal/app/replay ./internal/command/language
	PARLEY_TEST_ENGINE=postgres $(GO) test $(TAGS) -run 'TestRecall(Quality$$|AmongOthers|NeverLeavesItsScope)' ./internal/memory
	PARLEY_TEST_ENGINE=postgres $(GO) test -short $(TAGS) -run 'TestKilledAtEveryPoint|TestKilledBeforeTheWire|TestConversations|TestServed' ./cmd/bot

ROOMS := ./...
race:
	$(GO) test -race -short $(TAGS) $(ROOMS)

# Every figure the project claims, each with its floor where it has one; the
# programs themselves first, beside a loop that keeps nothing. PARLEY_STORED=1000000
# adds a message with so many stored ones, which takes minutes to build.
bench:
	$(GO) test $(TAGS) -run '^$$' -bench '^Benchmark(Figures|Stored)$$' -benchtime 1x -timeout 30m ./cmd/bot
	$(GO) test $(TAGS) -run '^$$' -bench . -skip '^Benchmark(Figures|Stored)$$' -benchmem ./...

# A thousand messages through a real homeserver while the bot is killed, the server starts again
# and syncs have gaps. SYNAPSE is the Python of an environment that has matrix-synapse:
# python3 -m venv DIR && DIR/bin/pip install matrix-synapse, then SYNAPSE=DIR/bin/python.
SYNAPSE  := python3
MESSAGES := 1000
matrix:
	PARLEY_SYNAPSE=$(SYNAPSE) PARLEY_MESSAGES=$(MESSAGES) $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '^TestSynapse$$' ./cmd/bot

# What adding a platform, a tool, a command, a setting or a column costs in existing
# files: each is added to a copy of the tree, built and tested. Takes minutes.
costs:
	PARLEY_COSTS=1 $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '^TestCosts$$' .

# The sentences that a language lacks; they are said in English.
translations:
	PARLEY_TRANSLATIONS=1 $(GO) test $(TAGS) -count=1 -run '^TestCatalogs$$' .

# What is found again in published conversations, from clones in COPIES, and of facts asked for
# in other words, as a table in Markdown: see eval/recall. ENGINES="sqlite postgres" takes both
# engines, ENCODER=http://127.0.0.1:8000/v1 an embedding model, EVERY=10 every tenth question, CHATS=2 two
# conversations of each set.
COPIES  ?= .
ENGINES := sqlite
ENCODER :=
EVERY   := 1
CHATS   := 100
SETS    := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-recall
recall:
	$(PYTHON) eval/recall/sets.py $(COPIES) $(SETS)
	rm -f $(SETS)/table.md
	for engine in $(ENGINES); do PARLEY_TEST_ENGINE=$$engine PARLEY_RECALL_SETS=$(SETS) PARLEY_RECALL_ENCODER=$(ENCODER) \
		PARLEY_RECALL_EVERY=$(EVERY) PARLEY_RECALL_CHATS=$(CHATS) PARLEY_RECALL_TABLE=$(SETS)/table.md $(GO) test $(TAGS) -count=1 -timeout 180m -v \
		-p 1 -run '^TestPublished|^TestReworded30$$' ./internal/memory ./internal/memory/facts || exit 1; done
	@echo; cat eval/recall/table.md $(SETS)/table.md

# The public conformance suite of the Model Context Protocol against Parley as a server and as
# a client: see eval/conformance. It needs npm, and installs Node 22 for itself.
CONFORMANCE := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-conformance
conformance:
	npm install --silent --no-save --prefix $(CONFORMANCE) node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12
	test -x $(CONFORMANCE)/node_modules/node/bin/node || npm rebuild --silent --prefix $(CONFORMANCE) node
	PARLEY_CONFORMANCE="$(CONFORMANCE)/node_modules/node/bin/node $(CONFORMANCE)/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
		$(GO) test $(TAGS) -count=1 -timeout 30m -v -run '^TestConformance' ./internal/tools/mcp ./cmd/bot

# OpenAI's clients for Python and Node, and litellm, against the endpoint: see eval/clients.
CLIENTS := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-clients
clients:
	$(PYTHON) -m venv $(CLIENTS)
	$(CLIENTS)/bin/pip install --quiet -r eval/clients/requirements.txt
	npm install --silent --no-save --prefix $(CLIENTS) openai@6.49.0
	PARLEY_CLIENTS=$(CLIENTS) $(GO) test $(TAGS) -count=1 -timeout 20m -v -run '^TestClients$$' ./cmd/bot

# What is answered without a model, and what is rightly left to one, in published
# sentences from clones in COPIES: see eval/lane.
LANESET := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-lane.json
lane:
	$(PYTHON) eval/lane/sets.py $(COPIES) $(LANESET)
	PARLEY_LANE_SET=$(LANESET) $(GO) test $(TAGS) -count=1 -timeout 20m -v -run '^TestPublishedLane$$' ./internal/llm/offline

# What times are read rightly in published sentences from clones in COPIES: see eval/times.
TIMESET := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-times.jsonl
times:
	$(PYTHON) eval/times/sets.py $(COPIES) $(TIMESET)
	PARLEY_TIMES_SET=$(TIMESET) $(GO) test $(TAGS) -count=1 -timeout 20m -v -run '^TestPublishedTimes$$' ./internal/text/times

# Two worlds that differ in private words: EPISODES of 250 turns from SEED, EPISODE is what a
# failure prints, ENGINES is sqlite or postgres, TEXTS a file that make recall wrote.
EPISODES := 3
TEXTS    :=
EPISODE  :=
walls:
	PARLEY_WALLS=$(EPISODES) PARLEY_SEED=$(SEED) PARLEY_WALLS_ENGINE=$(ENGINES) PARLEY_WALLS_TEXTS=$(TEXTS) PARLEY_EPISODE='$(EPISODE)' \
		$(GO) test $(TAGS) -count=1 -timeout 120m -v -run '^TestWalls$$' ./cmd/bot

# What bot whatif foretells of changes of eight kinds in PAST messages, beside real second runs.
# SAID is a file with what people say, a message a line; ONLY is the word of one change.
# RECORDED is a file of tau-bench's historical_trajectories, whose talks are the past then.
PAST := 2000
SAID :=
ONLY :=
RECORDED :=
whatif:
	PARLEY_WHATIF=$(PAST) PARLEY_WHATIF_TEXTS=$(SAID) PARLEY_WHATIF_ONLY=$(ONLY) PARLEY_WHATIF_RECORDED=$(RECORDED) \
		$(GO) test $(TAGS) -count=1 -timeout 120m -v -run '$(if $(RECORDED),^TestWhatIfRecorded$$,^TestWhatIf$$)' ./internal/app

# What is found in published notes, from clones in COPIES: see eval/notes.
NOTESETS := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-notes
notes:
	$(PYTHON) eval/notes/sets.py $(COPIES) $(NOTESETS)
	PARLEY_NOTES_SETS=$(NOTESETS) $(GO) test $(TAGS) -count=1 -timeout 20m -v -run '^TestPublishedNotes$$' ./internal/notes/index

# What becomes of right and wrong answers out of documents that packages ship: see
# eval/citations.
comma   := ,
FOLDERS  = en=/usr/share/doc,go=$(shell $(GO) env GOMODCACHE),git=/usr/share/doc/git/RelNotes,node=/usr/share/doc/nodejs$(foreach l,de es fr ru,$(comma)$(l)=/usr/share/man/$(l)),zh=/usr/share/man/zh_CN
citations:
	CITATIONS_FROM='$(FOLDERS)' $(GO) test $(TAGS) -count=1 -v -run '^TestPublished$$' ./internal/notes/citation

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

# What releases are built with, so that the compiler knows where a message's time goes.
profile:
	PARLEY_PROFILE=$(CURDIR)/deploy/release/bot.pgo $(GO) test $(TAGS) -count=1 -run '^TestProfile$$' ./cmd/bot

# What must survive: processes killed at every named point, platforms and
# models that fail in every way the fakes know. Not cached, said aloud.
faults:
	PARLEY_KILLS=60 PARLEY_FAULTS=1 $(GO) test $(TAGS) -count=1 -timeout 60m -v -run 'Crash|Kill|Fault|Sixty|YesBelongs|YesDuring|WhatIsShown|OnlyAnswers|FormsWait|Supergroup|LostPlace|DuringAConfirmed' ./...

# A question that any model knows, and 50 turns, with llama.cpp's server and a small
# model: see eval/live. Not in CI.
LIVE     := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-live
LIVEPORT := 18099
live:
	$(PYTHON) -m venv $(LIVE)
	$(LIVE)/bin/pip install --quiet --no-deps -r eval/live/requirements.txt
	@$(LIVE)/bin/python eval/live/serve.py --port $(LIVEPORT) $(if $(MODEL),--model $(MODEL)) $(if $(TEMPLATE),--template $(TEMPLATE)) >$(LIVE)/server.log 2>&1 & \
	server=$$!; trap "kill $$server" EXIT; \
	until grep -q "listening at" $(LIVE)/server.log; do kill -0 $$server || { tail $(LIVE)/server.log; exit 1; }; sleep 1; done; \
	PARLEY_LIVE=http://127.0.0.1:$(LIVEPORT)/v1 PARLEY_LIVE_MODEL=live $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '^TestLive' ./cmd/bot

# The control page in a real browser, with axe-core's checks: three widths, light and
# dark. Pictures go to SHOTS. Not in CI: it needs npm, and Chromium.
AXE   := axe-core@4.14.1
CHECK := $(if $(TMPDIR),$(TMPDIR),/tmp)/parley-page
page-check:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || { echo "install Chromium first, such as: apt install chromium"; exit 1; }
	npm install --silent --no-save --prefix $(CHECK) $(AXE)
	mkdir -p $(CHECK)/shots
	PARLEY_AXE=$(CHECK)/node_modules/axe-core/axe.min.js PARLEY_SHOTS=$(if $(SHOTS),$(SHOTS),$(CHECK)/shots) $(GO) test $(TAGS) -count=1 -timeout 30m -v -run '^TestInChromium$$' ./internal/app/console

# The films and pictures in docs/img, from the program as it is now; those of the page
# need Chromium. A test compares the films with the program: what it says has changed.
recordings:
	PARLEY_RECORD=1 $(GO) test $(TAGS) -count=1 -run '^TestRecord' ./docs/img/filmtest ./internal/app/console

# The chat templates of a folder against the bot's own requests: see eval/templates.
templates:
	PARLEY_PYTHON=$(PYTHON) PARLEY_TEMPLATES=$(TEMPLATES) $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '^TestTemplates$$' ./cmd/bot

# AgentDojo's suites behind the bot: see eval/agentdojo. Not in CI.
EVERY := 1
dojo:
	PARLEY_DOJO=$(PYTHON) PARLEY_DOJO_EVERY=$(EVERY) $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '^TestDojo' ./cmd/bot

# What people install without Go, into dist/: see docs/install.md. QUICK=1 takes
# the compiler that is here, to try how it is packed.
release:
	sh deploy/release/build.sh

# Tries dist/ in empty roots, as root on Debian. ROOTS=busybox is quick.
release-check:
	bash deploy/release/check.sh

# Three processes on one PostgreSQL, 200 conversations: killed, stopped, cut off, replaced
# one by one, RUNS times each. It needs PostgreSQL's programs, or PARLEY_POSTGRES.
RUNS := 30
cluster:
	PARLEY_CLUSTER=1 $(GO) test $(TAGS) -count=$(RUNS) -parallel 1 -timeout 120m -v -run '^TestCluster' ./cmd/bot | grep -E '^(---|FAIL|ok|panic)|(across|cluster|distance|elsewhere|elsewhere_discord|failover|shards|trouble)_test.go'

# Features against each other, with what may happen to a process between: N pairs and
# triples from SEED, on ENGINE (sqlite, postgres; both without it). PLAY is what a failure
# prints, and plays that one alone, with all that was said.
N := 2000
SEED := 1
crossings:
	PARLEY_CROSSINGS=$(N) PARLEY_SEED=$(SEED) PARLEY_CROSSING_ENGINE=$(ENGINE) PARLEY_CROSSING="$(PLAY)" \
		PARLEY_CROSSING_WITH=$(WITH) \
		$(GO) test $(TAGS) -count=1 -timeout 120m $(if $(PLAY),-v) -run '^TestCrossings$$' ./cmd/bot
