package dialect

// family is one way in which models write a call into their text. parse reads the body
// between open and close, whatever its form.
type family struct {
	open   string
	close  []string // the first that comes; none is the end of the text
	source string   // where the form can be read
}

// families is every mark that begins a call, as the models' own templates and
// the parsers of servers write it. No mark begins another one.
var families = []family{
	{"<tool_call>", []string{"</tool_call>"},
		"Hermes, Qwen 2.5 and 3, GLM 4: chat templates of NousResearch/Hermes-3-Llama-3.1-8B, Qwen/Qwen3-0.6B, zai-org/GLM-4.6"},
	{"<tool_calls>", []string{"</tool_calls>"},
		"Jamba, Apriel, Hunyuan: chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker, tencent/Hunyuan-A13B-Instruct"},
	{"<function=", []string{"</function>"},
		"Llama 3.1 with own tools, Qwen3-Coder: chat templates of meetkai/functionary-medium-v3.1, Qwen/Qwen3-Coder-30B-A3B-Instruct"},
	{"<function_call>", []string{"</function_call>"}, "Hermes' elder forms; tool_parsers of vLLM"},
	{"<function_calls>", []string{"</function_calls>"}, "Claude's documentation; MiniMax-M1"},
	{"<function name=", []string{"</function>"}, "chat template of openbmb/MiniCPM5-1B"},
	{"<|open|>tools<|sep|>", []string{"<|close|>tools<|sep|>"}, "chat template of moonshotai/Kimi-K3"},
	{"<invoke name=", []string{"</invoke>"}, "MiniMax-M2 without its frame"},
	{"<minimax:tool_call>", []string{"</minimax:tool_call>"}, "chat template of MiniMaxAI/MiniMax-M2"},
	{"<seed:tool_call>", []string{"</seed:tool_call>"}, "chat template of ByteDance-Seed/Seed-OSS-36B-Instruct"},
	{"<atem:function_calls>", []string{"</atem:function_calls>"}, "Muse Glimmer: llama.cpp, common/parsers/muse-glimmer.cpp"},
	{"<TOOLCALL>", []string{"</TOOLCALL>"}, "chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2"},
	{"[TOOL_CALLS]", nil, "Mistral, both forms: chat templates of Mistral-Nemo-Instruct-2407 and Mistral-Small-3.2-24B-Instruct-2506"},
	{"<|python_tag|>", []string{"<|eom_id|>", "<|eot_id|>"}, "chat template of meta-llama/Llama-3.1-8B-Instruct"},
	{"<|tool_call|>", []string{"<|/tool_call|>"},
		"Granite and Phi-4-mini: chat templates of ibm-granite/granite-3.3-2b-instruct, microsoft/Phi-4-mini-instruct"},
	{"<|tool_call>", []string{"<tool_call|>"}, "chat template of google/gemma-4-31B-it"},
	{"<start_function_call>", []string{"<end_function_call>"}, "chat template of google/functiongemma-270m-it"},
	{"<|tool_call_start|>", []string{"<|tool_call_end|>"}, "chat template of LiquidAI/LFM2-8B-A1B"},
	{"<|tool_calls_section_begin|>", []string{"<|tool_calls_section_end|>"}, "chat template of moonshotai/Kimi-K2-Instruct"},
	{"<|tool_call_begin|>", []string{"<|tool_call_end|>"}, "Kimi K2 without its frame"},
	{"<｜tool▁calls▁begin｜>", []string{"<｜tool▁calls▁end｜>"}, "chat templates of deepseek-ai/DeepSeek-R1 and DeepSeek-V3.1"},
	{"<｜tool▁call▁begin｜>", []string{"<｜tool▁call▁end｜>"}, "DeepSeek without its frame"},
	{"<｜DSML｜function_calls>", []string{"</｜DSML｜function_calls>"}, "chat template of deepseek-ai/DeepSeek-V3.2"},
	{"<｜DSML｜tool_calls>", []string{"</｜DSML｜tool_calls>"}, "chat template of deepseek-ai/DeepSeek-V4"},
	{"<|START_ACTION|>", []string{"<|END_ACTION|>"}, "chat template of CohereForAI/c4ai-command-r7b-12-2024"},
	{"<|action_start|>", []string{"<|action_end|>"}, "InternLM: chat template of internlm/internlm2_5-7b-chat"},
	{"<|tools_prefix|>", []string{"<|tools_suffix|>"}, "chat template of swiss-ai/Apertus-8B-Instruct-2509"},
	{"<|function_call|>", nil, "chat template of ai-sage/GigaChat3-10B-A1.8B"},
	{"✿FUNCTION✿", []string{"✿RESULT✿", "✿RETURN✿"}, "Qwen-Agent, qwen_agent/llm/fncall_prompts/qwen_fncall_prompt.py"},
	{functools, nil, "Phi-4 and firefunction: chat template of fireworks-ai/llama-3-firefunction-v2"},
}

// thought is how a family marks its thoughts.
type thought struct {
	open   string
	close  []string
	tag    bool   // prose may mention it: it counts only at the beginning of a line
	source string // where the form can be read
}

// thoughts is every mark that begins one. gpt-oss writes its own with headers:
// see header.
var thoughts = []thought{
	{"<think>", []string{"</think>"}, true, "DeepSeek-R1, Qwen 3, QwQ, GLM, SmolLM3, Nemotron and many others' chat templates"},
	{"<thinking>", []string{"</thinking>"}, true, "prompts of Claude; Reflection-Llama-3.1-70B's model card"},
	{"<thought>", []string{"</thought>"}, true, "Gemini's OpenAI-compatible endpoint with include_thoughts"},
	{"<reasoning>", []string{"</reasoning>"}, true, "models trained with TRL's GRPO examples"},
	{"<reflection>", []string{"</reflection>"}, true, "Reflection-Llama-3.1-70B's model card"},
	{"<seed:think>", []string{"</seed:think>"}, false, "chat template of ByteDance-Seed/Seed-OSS-36B-Instruct"},
	{"<mm:think>", []string{"</mm:think>"}, false, "chat template of MiniMaxAI/MiniMax-M3"},
	{"<longcat_think>", []string{"</longcat_think>"}, false, "chat template of meituan-longcat/LongCat-Flash-Thinking"},
	{"[THINK]", []string{"[/THINK]"}, false, "chat template of mistralai/Magistral-Small-2506"},
	{"◁think▷", []string{"◁/think▷"}, false, "chat template of moonshotai/Kimi-VL-A3B-Thinking"},
	{"<|START_THINKING|>", []string{"<|END_THINKING|>"}, false, "chat template of CohereForAI/c4ai-command-r7b-12-2024"},
	{"<|begin_of_thought|>", []string{"<|end_of_thought|>"}, false, "NovaSky-AI/Sky-T1-32B-Preview's model card"},
	{"<|open|>think<|sep|>", []string{"<|close|>think<|sep|>"}, false, "chat template of moonshotai/Kimi-K3"},
	{"<|channel>thought", []string{"<channel|>"}, false, "chat template of google/gemma-4-31B-it"},
	{"<|inner_prefix|>", []string{"<|inner_suffix|>"}, false, "chat template of swiss-ai/Apertus-8B-Instruct-2509"},
	{"<unused94>thought", []string{"<unused95>"}, false, "google/medgemma-27b-it's model card"},
}

// turning is marks behind a thought that nothing began: the chat template of
// ServiceNow-AI/Apriel-1.6-15b-Thinker.
var turning = []string{"[BEGIN FINAL RESPONSE]"}

// silent is marks that say nothing to anybody: ends of turns, frames around an
// answer. What stands between them is said.
var silent = []string{
	"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end|>", "<|return|>", "<|end_of_text|>", "<|call|>",
	"<end_of_turn>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>",
	"<|begin_of_solution|>", "<|end_of_solution|>", "<|im_start|>assistant", "<start_of_turn>model", "[/INST]",
	"<|start_header_id|>assistant<|end_header_id|>", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<｜Assistant｜>",
	"<|message_sep|>", "<|role_sep|>",
	"<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>", minimax, "[END FINAL RESPONSE]",
	"<context>", "</context>", // the fence of llm.Arrange, which small models repeat
}

// others are marks with which a model that does not stop continues in somebody else's
// name. Nothing from there on was said.
var others = []string{
	"<|im_start|>user", "<|im_start|>system", "<|im_start|>tool", "<start_of_turn>user", "<|start_header_id|>user",
	"<|start_header_id|>system",
	"<|start_header_id|>ipython", "<｜User｜>", "[INST]", "<|user|>", "<|system|>", "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>",
	"[TOOL_RESULTS]", "<｜tool▁outputs▁begin｜>", "<tool_response>", "<|observation|>", "✿RESULT✿", "✿RETURN✿",
}

// headers is how gpt-oss begins each part of what it says: up to message stands
// who speaks to whom (the harmony format of openai/gpt-oss-20b).
var headers = []string{"<|channel|>", "<|start|>"}

const (
	message   = "<|message|>"
	minimax   = "]<]minimax[>[" // before every tag of MiniMaxAI/MiniMax-M3
	functools = "functools["    // no mark but at the beginning of a line
)
