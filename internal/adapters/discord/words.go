package discord

// fixes holds the close codes after which reconnecting is pointless, with the
// fix for each.
var fixes = map[int]string{
	4004: "the token is wrong; make a new one in the developer portal under Bot and set discord.token",
	4010: "this number of shards is not allowed for this bot; set discord.shards to auto",
	4011: "the bot is in too many servers for so few shards; set discord.shards to auto",
	4012: "the gateway version is no longer served; update Parley",
	4013: "invalid intents; update Parley",
	4014: "enable Message Content Intent in the developer portal under Bot > Privileged Gateway Intents",
}
