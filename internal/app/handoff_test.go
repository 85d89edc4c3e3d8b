package app

import "testing"

const handoffScript = `-- settings.yaml --
access: {mode: open, owners: ["terminal:local"]}
handoff: {desk: "discord:50", patience: 10m}
playbook: {dir: playbook}
-- playbook/desk.yaml --
guidelines:
  - {id: lawyers, condition: 'literal:lawyer', reply: "I leave that to a colleague.", handoff: true}
journeys:
  - id: claim
    name: Claim
    description: a damage
    trigger: 'literal:damage'
    initial_step: number
    steps:
      - {id: number, name: Number, required_context: [order], transitions: [{to_step: people}]}
      - {id: people, name: People, description: somebody has to look at the damage, handoff: true, is_terminal: true}
variables:
  - {name: order, description: the order number, patterns: ['\b\d{4}\b'], ask: Which order?}
guards:
  - {id: no_deletions, tool: delete_task, require: 'false', otherwise: handoff, say: Deleting is for people.}
-- talk --
> [telegram:41] you hear from my lawyer
<~ I leave that to a colleague.
| 
| I have asked a person to take over.
outcome passed on
calls 0
> [discord:9@50] /handoff list
<~ 1: \*\*41\*\*
> [discord:9@50] /handoff take 1
<~ You are with
> [discord:9@50] Which lawyer?
< **9**: Which lawyer?
> [telegram:41] mine
< **41**: mine
outcome passed on
calls 0
> [discord:9@50] /handoff back
<~ is over
> [telegram:41] hello again
= Hello.
< Hello.
? Which lawyer?
? a person of the team
? mine

# Nobody comes.
> [telegram:42] my lawyer again
<~ asked a person
after 9m
> [telegram:42] hello?
< **42**: hello?
after 2m
> [telegram:42] still there?
= Yes.
< Yes.
? hello?
> [discord:9@50] /handoff take 2
<~ You are with
> [discord:9@50] Sorry, here I am.
< **9**: Sorry, here I am.
> [telegram:42] /handoff back
<~ I am with you again

# A step, once what it needs is known.
> [telegram:44] I have a damage
= Which order?
< Which order?
> [telegram:44] 4711
<~ asked a person
outcome passed on
rows handoffs 3

# A guard.
> [telegram:43] add tea
! add_task {"description":"tea"}
= Added.
< Added.
> [telegram:43] delete it
! delete_task {"id":1}
<~ Deleting is for people.
| 
| I have asked a person
outcome passed on
rows tasks 1
> [telegram:43] /handoff
<~ answers here
`

// TestHandoffsFromRulesAndGuards: a rule and a guard pass a conversation on; people
// answer, or nobody comes and the assistant is back.
func TestHandoffsFromRulesAndGuards(t *testing.T) { rehearsed(t, handoffScript) }

const ownersDeskScript = `-- settings.yaml --
access: {mode: open, owners: ["telegram:7", "discord:8"]}
handoff: {desk: owners, patience: 10m}
-- talk --
> [telegram:7] hello
= Hello.
< Hello.
> [telegram:41] /handoff I want a human
<~ I have asked a person
> [telegram:7] /handoff list
<~ 1: \*\*41\*\*
> [telegram:7] /handoff take 1
<~ You are with
> [telegram:7] What is it?
< **7**: What is it?
> [telegram:41] the bill
< **41**: the bill
> [telegram:7] // ask Bob later
<
> [telegram:7] /handoff back
<~ is over
> [telegram:7] hello again
= Hi.
< Hi.
`

// TestOwnersAreTheDesk: without a channel of its own, the desk is where the owners
// write to the bot alone; what they write aside stays there.
func TestOwnersAreTheDesk(t *testing.T) { rehearsed(t, ownersDeskScript) }
