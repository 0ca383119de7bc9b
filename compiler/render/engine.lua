-- engine.lua: the template language. A line that starts with `//$` is Lua, `$(expression)` is a value, the rest is text.
-- Line N of a template becomes line N of one Lua chunk named after the template, so that every message and traceback of Lua
-- names template and line by itself.

local PLACE = "templates/"

-- What may stand in the text: integers, strings, booleans. A float is nearly always a division that meant `//`.
local function shown(value)
  local kind = math.type(value) or type(value)
  if kind == "integer" or kind == "string" or kind == "boolean" then
    return tostring(value)
  elseif kind == "float" then
    error(("$(...) is the float %s: use // for sizes, f32() for constants"):format(value), 2)
  end
  error(("$(...) is %s, want a string or an integer"):format(kind), 2)
end

-- The float nearest to the value, as a literal that reads back as it.
local function f32(value)
  local text = ("%.9g"):format(string.unpack("f", string.pack("f", value)))
  if text:find("^-?%d+$") then text = text .. ".0" end
  return text .. "f"
end

local function hex(value)
  return ("0x%xu"):format(value)
end

-- One line of text as a call that emits its pieces.
local function text_line(line, number, name)
  local pieces, at = {}, 1
  while true do
    local open = line:find("$(", at, true)
    pieces[#pieces + 1] = ("%q"):format(line:sub(at, (open or 0) - 1))
    if not open then break end
    local value = line:match("^%b()", open + 1)
    if not value then error(("%s:%d: unclosed $("):format(name, number), 0) end
    pieces[#pieces + 1] = "_shown" .. value
    at = open + 1 + #value
  end
  return ("_emit(%d,%s)"):format(number, table.concat(pieces, ","))
end

-- read(name) gives a template's text. Returns render(name, params) -> lines, files, numbers.
return function(read)
  local chunks, indents = {}, {}          -- by template: Lua text; indentation of each line
  local lines, files, numbers = {}, {}, {} -- the output and where each line comes from
  local library = { ipairs = ipairs, math = math, string = string, table = table, type = type, tostring = tostring,
                    assert = assert, error = error, f32 = f32, hex = hex }

  local function translate(name)
    local lua, indent = {}, {}
    for line in (read(name):gsub("\n?$", "\n", 1)):gmatch("(.-)\n") do
      local code = line:match("^%s*//%$(.*)$")
      lua[#lua + 1] = code or text_line(line, #lua + 1, PLACE .. name)
      indent[#indent + 1] = line:match("^%s*")
    end
    chunks[name], indents["@" .. PLACE .. name] = table.concat(lua, "\n"), indent
  end

  local render -- forward: include calls it

  local function environment(name, params, pad)
    local env = { _shown = shown }
    function env._emit(number, ...)
      local text = table.concat({ ... })
      local own = text:match("^[ \t]*")
      for piece in (text:gsub("\n", "\n" .. own) .. "\n"):gmatch("(.-)\n") do
        lines[#lines + 1] = piece:find("%S") and pad .. piece or ""
        files[#files + 1], numbers[#numbers + 1] = name, number
      end
    end
    function env.params(names)
      for key in names:gmatch("%S+") do
        if params[key] == nil then error("missing parameter '" .. key .. "'", 2) end
      end
    end
    function env.include(other, arguments)
      local here = debug.getinfo(2, "Sl")
      local inner = setmetatable({}, { __index = function(_, key)
        local value = arguments and arguments[key]
        if value == nil then value = params[key] end
        return value
      end })
      render(other, inner, pad .. indents[here.source][here.currentline])
    end
    return setmetatable(env, {
      __index = function(_, key)
        local value = params[key]
        if value == nil then value = library[key] end
        if value == nil then error("undefined template variable '" .. key .. "'", 2) end
        return value
      end,
      __newindex = function(_, key) error("assignment to undeclared '" .. key .. "': write local", 2) end,
    })
  end

  function render(name, params, pad)
    if not chunks[name] then translate(name) end
    local chunk, wrong = load(chunks[name], "@" .. PLACE .. name, "t", environment(name, params, pad))
    if not chunk then error((wrong:gsub("near '_%a+'", "in the Lua line above")), 0) end
    chunk()
  end

  return function(name, params)
    render(name, params, "")
    return lines, files, numbers
  end
end
