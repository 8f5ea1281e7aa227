#include "firn/format/avro/avro_schema.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <simdjson.h>

namespace firn {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int kDepthMax = 128;
constexpr int64_t kNodeCountMax = 1'000'000;
// Sums of sizes stop here, far above any file and far below overflow.
constexpr int64_t kSizeCap = int64_t{1} << 48;

constexpr std::pair<std::string_view, AvroKind> kKinds[] = {
    {"null", AvroKind::kNull},     {"boolean", AvroKind::kBoolean}, {"int", AvroKind::kInt},
    {"long", AvroKind::kLong},     {"float", AvroKind::kFloat},     {"double", AvroKind::kDouble},
    {"bytes", AvroKind::kBytes},   {"string", AvroKind::kString},   {"fixed", AvroKind::kFixed},
    {"enum", AvroKind::kEnum},     {"array", AvroKind::kArray},     {"map", AvroKind::kMap},
    {"record", AvroKind::kRecord}, {"error", AvroKind::kRecord},
};

std::optional<AvroKind> FindKind(std::string_view name) {
  for (const auto& [text, kind] : kKinds) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

bool IsPrimitive(AvroKind kind) { return kind <= AvroKind::kString; }

std::string StringMember(const object& json, std::string_view key) {
  std::string_view text;
  return json[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

// A member that is a 32-bit integer, or `fallback`.
int32_t IntMember(const object& json, std::string_view key, int32_t fallback) {
  int64_t number = 0;
  if (json[key].get(number) != simdjson::SUCCESS) return fallback;
  if (number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<int32_t>::max()) {
    return fallback;
  }
  return static_cast<int32_t>(number);
}

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view where) : where_(where) {}

  Result<AvroNodePtr> Parse(const element& json, const std::string& space, int depth) {
    if (depth > kDepthMax) return Corrupt("nests deeper than {} levels", kDepthMax);
    FIRN_ASSIGN(AvroNodePtr node, ParseAny(json, space, depth));
    if (node->node_count > kNodeCountMax) {
      return Corrupt("expands to more than {} types", kNodeCountMax);
    }
    return node;
  }

 private:
  template <typename... Args>
  Error Corrupt(fmt::format_string<Args...> text, Args&&... args) const {
    return MakeError(ErrorCode::kCorrupt, "{}: Avro schema {}", where_,
                     fmt::format(text, std::forward<Args>(args)...));
  }

  Result<AvroNodePtr> ParseAny(const element& json, const std::string& space, int depth) {
    std::string_view text;
    if (json.get(text) == simdjson::SUCCESS) return Reference(text, space);
    array branches;
    if (json.get(branches) == simdjson::SUCCESS) return ParseUnion(branches, space, depth);
    object members;
    if (json.get(members) == simdjson::SUCCESS) return ParseObject(members, space, depth);
    return Corrupt("has a type that is neither text, array nor object");
  }

  // A primitive type, or a named one that was defined before.
  Result<AvroNodePtr> Reference(std::string_view text, const std::string& space) {
    if (const auto kind = FindKind(text); kind && IsPrimitive(*kind)) {
      return FinishAvroNode({.kind = *kind});
    }
    auto found = named_.find(Qualify(text, space));
    if (found == named_.end()) found = named_.find(std::string(text));
    if (found == named_.end()) return Corrupt("names the unknown type '{}'", text);
    if (!found->second) {
      return Corrupt("defines the type '{}' by itself; Iceberg has no recursive types", text);
    }
    return found->second;
  }

  Result<AvroNodePtr> ParseUnion(const array& branches, const std::string& space, int depth) {
    AvroNode node{.kind = AvroKind::kUnion};
    for (const element& branch : branches) {
      FIRN_ASSIGN(AvroNodePtr child, Parse(branch, space, depth + 1));
      node.children.push_back(std::move(child));
    }
    if (node.children.empty()) return Corrupt("has a union without branches");
    return FinishAvroNode(std::move(node));
  }

  Result<AvroNodePtr> ParseObject(const object& json, const std::string& space, int depth) {
    element type;
    if (json["type"].get(type) != simdjson::SUCCESS) return Corrupt("has an object without 'type'");
    std::string_view text;
    if (type.get(text) != simdjson::SUCCESS) return Parse(type, space, depth + 1);
    const auto kind = FindKind(text);
    if (!kind) return Reference(text, space);
    AvroNode node{.kind = *kind};
    node.logical_type = StringMember(json, "logicalType");
    node.precision = IntMember(json, "precision", 0);
    node.scale = IntMember(json, "scale", 0);
    bool adjust_to_utc = false;
    if (json["adjust-to-utc"].get(adjust_to_utc) == simdjson::SUCCESS) {
      node.adjust_to_utc = adjust_to_utc;
    }
    node.element_id = IntMember(json, "element-id", kNoAvroId);
    node.key_id = IntMember(json, "key-id", kNoAvroId);
    node.value_id = IntMember(json, "value-id", kNoAvroId);
    if (*kind == AvroKind::kArray) return ParseChild(std::move(node), json, "items", space, depth);
    if (*kind == AvroKind::kMap) return ParseChild(std::move(node), json, "values", space, depth);
    if (IsPrimitive(*kind)) return FinishAvroNode(std::move(node));
    return ParseNamed(std::move(node), json, space, depth);
  }

  Result<AvroNodePtr> ParseChild(AvroNode node, const object& json, std::string_view key,
                                 const std::string& space, int depth) {
    element child_json;
    if (json[key].get(child_json) != simdjson::SUCCESS) {
      return Corrupt("has an {} without '{}'", FormatAvroKind(node.kind), key);
    }
    FIRN_ASSIGN(AvroNodePtr child, Parse(child_json, space, depth + 1));
    node.children.push_back(std::move(child));
    return FinishAvroNode(std::move(node));
  }

  Result<AvroNodePtr> ParseNamed(AvroNode node, const object& json, const std::string& space,
                                 int depth) {
    const std::string name = StringMember(json, "name");
    std::string_view own_space;
    const bool has_space = json["namespace"].get(own_space) == simdjson::SUCCESS;
    node.name = Qualify(name, has_space ? std::string(own_space) : space);
    if (name.empty()) return Corrupt("has a {} without name", FormatAvroKind(node.kind));
    const std::string full_name = node.name;
    if (!named_.try_emplace(full_name, nullptr).second) {
      return Corrupt("defines the type '{}' twice", full_name);
    }
    const size_t dot = full_name.rfind('.');
    const std::string inner_space = dot == std::string::npos ? "" : full_name.substr(0, dot);
    if (node.kind == AvroKind::kRecord) {
      FIRN_RETURN_IF_ERROR(ParseFields(node, json, inner_space, depth));
    } else if (node.kind == AvroKind::kFixed) {
      node.size = IntMember(json, "size", -1);
      if (node.size < 0) return Corrupt("has the fixed '{}' without a size >= 0", full_name);
    } else {
      FIRN_RETURN_IF_ERROR(ParseSymbols(node, json));
    }
    AvroNodePtr finished = FinishAvroNode(std::move(node));
    named_[full_name] = finished;
    return finished;
  }

  Status ParseSymbols(AvroNode& node, const object& json) {
    array symbols;
    if (json["symbols"].get(symbols) != simdjson::SUCCESS) {
      return Corrupt("has the enum '{}' without symbols", node.name);
    }
    for (const element& symbol : symbols) {
      std::string_view text;
      if (symbol.get(text) != simdjson::SUCCESS) {
        return Corrupt("has a symbol of the enum '{}' that is not text", node.name);
      }
      node.symbols.emplace_back(text);
    }
    return {};
  }

  Status ParseFields(AvroNode& node, const object& json, const std::string& space, int depth) {
    array fields;
    if (json["fields"].get(fields) != simdjson::SUCCESS) {
      return Corrupt("has the record '{}' without fields", node.name);
    }
    for (const element& field_json : fields) {
      object members;
      element type;
      if (field_json.get(members) != simdjson::SUCCESS ||
          members["type"].get(type) != simdjson::SUCCESS) {
        return Corrupt("has a field of the record '{}' without 'type'", node.name);
      }
      AvroField field;
      field.name = StringMember(members, "name");
      field.iceberg_name = StringMember(members, "iceberg-field-name");
      field.doc = StringMember(members, "doc");
      field.field_id = IntMember(members, "field-id", kNoAvroId);
      element default_json;
      field.has_null_default =
          members["default"].get(default_json) == simdjson::SUCCESS && default_json.is_null();
      FIRN_ASSIGN(field.type, Parse(type, space, depth + 1));
      node.fields.push_back(std::move(field));
    }
    return {};
  }

  static std::string Qualify(std::string_view name, const std::string& space) {
    if (space.empty() || name.find('.') != std::string_view::npos) return std::string(name);
    return space + "." + std::string(name);
  }

  std::string_view where_;
  // Named types by full name; null while their own definition is being read.
  std::unordered_map<std::string, AvroNodePtr> named_;
};

int64_t ChildrenMinSize(const AvroNode& node) {
  int64_t least = kSizeCap;
  for (const AvroNodePtr& child : node.children)
    least = std::min(least, child->min_size);
  return least;
}

int64_t MinSize(const AvroNode& node) {
  switch (node.kind) {
    case AvroKind::kNull:
      return 0;
    case AvroKind::kFloat:
      return 4;
    case AvroKind::kDouble:
      return 8;
    case AvroKind::kFixed:
      return node.size;
    case AvroKind::kUnion:
      return 1 + ChildrenMinSize(node);
    case AvroKind::kRecord: {
      int64_t sum = 0;
      for (const AvroField& field : node.fields)
        sum += field.type->min_size;
      return std::min(sum, kSizeCap);
    }
    case AvroKind::kBoolean:
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kBytes:
    case AvroKind::kString:
    case AvroKind::kEnum:
    case AvroKind::kArray:
    case AvroKind::kMap:
      return 1;
  }
  return 0;
}

}  // namespace

std::string_view FormatAvroKind(AvroKind kind) {
  if (kind == AvroKind::kUnion) return "union";
  for (const auto& [text, known] : kKinds) {
    if (known == kind) return text;
  }
  return "unknown";
}

AvroNodePtr FinishAvroNode(AvroNode node) {
  node.min_size = MinSize(node);
  node.node_count = 1;
  for (const AvroNodePtr& child : node.children)
    node.node_count += child->node_count;
  for (const AvroField& field : node.fields) {
    node.node_count += field.type->node_count;
    if (field.type->min_size > 0) node.sized_fields.push_back(field.type.get());
  }
  node.node_count = std::min(node.node_count, kSizeCap);
  return std::make_shared<const AvroNode>(std::move(node));
}

Result<AvroOption> ResolveAvroOption(const AvroNode& node, std::string_view where) {
  if (node.kind == AvroKind::kNull) return AvroOption{};
  if (node.kind != AvroKind::kUnion) return AvroOption{.value = &node};
  AvroOption option{.branch_count = static_cast<int>(node.children.size())};
  for (int branch = 0; branch < option.branch_count; ++branch) {
    const AvroNode& child = *node.children[static_cast<size_t>(branch)];
    if (child.kind == AvroKind::kNull) {
      option.null_branch = branch;
    } else if (option.value == nullptr) {
      option.value = &child;
    } else {
      return MakeError(ErrorCode::kUnsupported,
                       "{}: union of several types, expected one type and null", where);
    }
  }
  return option;
}

Result<AvroNodePtr> ParseAvroSchema(std::string_view json, std::string_view where) {
  simdjson::dom::parser parser;
  element root;
  const auto error = parser.parse(simdjson::padded_string(json)).get(root);
  if (error != simdjson::SUCCESS) {
    return MakeError(ErrorCode::kCorrupt, "{}: Avro schema is not JSON: {}", where,
                     simdjson::error_message(error));
  }
  return SchemaParser(where).Parse(root, "", 0);
}

}  // namespace firn
