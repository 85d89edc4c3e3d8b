package chat

// Programs is the platform of conversations that people have through programs of theirs,
// which bring a token of the person: From is who that is on another platform. No adapter
// but the one that checks tokens makes messages of it, and no two people share a channel.
const Programs = "api"
