package main

// What stands in the way of running.
const (
	wordsStandsBy        = "a bot that stands by needs a platform to live on, and none has a token"
	wordsService         = "a service needs a platform to live on, and none has a token"
	wordsSetToken        = "set telegram.token or discord.token"
	wordsSetTokenSystemd = "set telegram.token or discord.token, under systemd in /etc/parley/telegram.token or discord.token"
)
