-- A small JSON reader for views. You need not change this file.
local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- Converts JSON to Lua values. Objects and arrays become tables, and null becomes nil.
local function read_json(text)
  local at = 1 -- where to continue reading
  local read_value

  -- The next character that is not a space; it is not consumed.
  local function peek()
    at = text:find("%S", at) or #text + 1
    return text:sub(at, at)
  end

  local function read_code()
    local code = tonumber(text:sub(at, at + 3), 16)
    at = at + 4
    return code
  end

  local function read_string()
    local parts = {}
    at = at + 1
    while true do
      local plain, sign = text:match('^([^"\\]*)(.)', at)
      parts[#parts + 1] = plain
      at = at + #plain + 1
      if sign == '"' then
        return table.concat(parts)
      end
      local letter = text:sub(at, at)
      at = at + 1
      if letter == "u" then
        local code = read_code()
        if code >= 0xD800 and code < 0xDC00 then -- half a character; "\u" and the other half follow
          at = at + 2
          code = 0x10000 + (code - 0xD800) * 0x400 + read_code() - 0xDC00
        end
        parts[#parts + 1] = utf8.char(code)
      else
        parts[#parts + 1] = ESCAPES[letter] or letter
      end
    end
  end

  -- The elements of an object or an array, up to the closing bracket.
  local function read_list(close, read_element)
    local list = {}
    at = at + 1
    while peek() ~= close do
      if peek() == "," then
        at = at + 1
      end
      read_element(list)
    end
    at = at + 1
    return list
  end

  local function read_member(object)
    peek()
    local name = read_string()
    peek()
    at = at + 1 -- the colon
    object[name] = read_value()
  end

  local function read_item(array)
    array[#array + 1] = read_value()
  end

  function read_value()
    local first = peek()
    if first == '"' then
      return read_string()
    elseif first == "{" then
      return read_list("}", read_member)
    elseif first == "[" then
      return read_list("]", read_item)
    end
    local word = text:match("^[%w+.-]+", at)
    at = at + #word
    if word == "true" or word == "false" then
      return word == "true"
    end
    return tonumber(word) -- nil for null
  end

  return read_value()
end

return read_json
