#include <algorithm>
#include <string>
#include <utility>

#include "firn/format/manifest/manifest_program_internal.h"

namespace firn {
namespace {

bool IsLong(const AvroNode& node) {
  return node.kind == AvroKind::kInt || node.kind == AvroKind::kLong;
}
bool IsBytes(const AvroNode& node) {
  return node.kind == AvroKind::kBytes || node.kind == AvroKind::kString ||
         node.kind == AvroKind::kFixed;
}
bool IsLengthPrefixed(const AvroNode& node) {
  return node.kind == AvroKind::kBytes || node.kind == AvroKind::kString;
}

// By id; a field without an id by name, unless another field has the id.
const KnownMember* FindMember(const AvroNode& record, const AvroField& field,
                              std::span<const KnownMember> members) {
  for (const KnownMember& member : members) {
    if (field.field_id == member.id) return &member;
  }
  if (field.field_id != kNoAvroId) return nullptr;
  for (const KnownMember& member : members) {
    if (field.name != member.name) continue;
    const bool id_is_taken =
        std::any_of(record.fields.begin(), record.fields.end(),
                    [&](const AvroField& other) { return other.field_id == member.id; });
    return id_is_taken ? nullptr : &member;
  }
  return nullptr;
}

class Compiler {
 public:
  Compiler(ReadProgram& program, uint64_t wanted, const Type* partition_type,
           std::string_view where)
      : program_(program), wanted_(wanted), partition_type_(partition_type), where_(where) {}

  Status CompileRecord(const AvroNode& record, std::span<const KnownMember> members) {
    for (const AvroField& field : record.fields) {
      const KnownMember* member = FindMember(record, field, members);
      if (member == nullptr) {
        AddSkip(*field.type);
      } else {
        FIRN_RETURN_IF_ERROR(CompileMember(field, *member));
      }
    }
    return {};
  }

 private:
  std::string Where(const AvroField& field) const {
    return fmt::format("{}: field '{}' (id {})", where_, field.name, field.field_id);
  }

  Error WrongType(const AvroField& field, std::string_view expected) const {
    return MakeError(ErrorCode::kCorrupt, "{} is an Avro {}, expected {}", Where(field),
                     FormatAvroKind(field.type->kind), expected);
  }

  void AddSkip(const AvroNode& node) {
    if (node.min_size == 0) return;
    ReadStep step{.kind = ReadStep::Kind::kSkip, .node = &node};
    if (IsLong(node)) step.kind = ReadStep::Kind::kSkipLong;
    if (IsLengthPrefixed(node)) step.kind = ReadStep::Kind::kSkipBytes;
    program_.steps.push_back(step);
  }

  Status CompileMember(const AvroField& field, const KnownMember& member) {
    FIRN_ASSIGN(const AvroOption option, ResolveAvroOption(*field.type, Where(field)));
    ReadStep step{.kind = ReadStep::Kind::kRead,
                  .slot = member.slot,
                  .null_branch = static_cast<int16_t>(option.null_branch),
                  .branch_count = static_cast<uint32_t>(option.branch_count),
                  .node = option.value};
    if (option.value == nullptr) {
      // Always null: nothing to read but perhaps a branch.
      AddSkip(*field.type);
      return {};
    }
    const bool is_wanted = (wanted_ >> member.slot & 1) != 0;
    if (!is_wanted) return CompileUnwanted(field, member, step);
    program_.slots |= uint64_t{1} << member.slot;
    return CompileShape(field, member, step);
  }

  Status CompileUnwanted(const AvroField& field, const KnownMember& member, ReadStep step) {
    const bool is_map =
        member.shape == MemberShape::kLongMap || member.shape == MemberShape::kBytesMap;
    if (!is_map) {
      AddSkip(*field.type);
      return {};
    }
    FIRN_ASSIGN(const MapPlan plan, PlanMap(field, member, *step.node));
    if (!plan.is_plain) {
      AddSkip(*field.type);
      return {};
    }
    step.kind = member.shape == MemberShape::kLongMap ? ReadStep::Kind::kSkipLongMap
                                                      : ReadStep::Kind::kSkipBytesMap;
    program_.steps.push_back(step);
    return {};
  }

  Status CompileShape(const AvroField& field, const KnownMember& member, ReadStep step) {
    const AvroNode& node = *step.node;
    switch (member.shape) {
      case MemberShape::kLong:
        if (!IsLong(node)) return WrongType(field, "an int or long");
        break;
      case MemberShape::kBoolean:
        if (node.kind != AvroKind::kBoolean) return WrongType(field, "a boolean");
        break;
      case MemberShape::kBytes:
        if (!IsBytes(node)) return WrongType(field, "a string or bytes");
        break;
      case MemberShape::kArray:
        if (node.kind != AvroKind::kArray || !IsLong(node.items())) {
          return WrongType(field, "an array of numbers");
        }
        break;
      case MemberShape::kLongMap:
      case MemberShape::kBytesMap: {
        FIRN_ASSIGN(MapPlan plan, PlanMap(field, member, node));
        step.operand = static_cast<uint32_t>(program_.maps.size());
        program_.maps.push_back(plan);
        break;
      }
      case MemberShape::kRecord:
      case MemberShape::kPartition:
        return CompileInline(field, member, step);
      case MemberShape::kRecordArray:
        return CompileRecordArray(field, member, step);
    }
    program_.steps.push_back(step);
    return {};
  }

  // The members of a nested record become steps of this program.
  Status CompileInline(const AvroField& field, const KnownMember& member, ReadStep step) {
    if (step.node->kind != AvroKind::kRecord) return WrongType(field, "a record");
    const size_t enter = program_.steps.size();
    step.kind = ReadStep::Kind::kEnter;
    program_.steps.push_back(step);
    if (member.shape == MemberShape::kPartition) {
      FIRN_RETURN_IF_ERROR(CompilePartition(*step.node));
    } else {
      FIRN_RETURN_IF_ERROR(CompileRecord(*step.node, member.members));
    }
    program_.steps[enter].operand = static_cast<uint32_t>(program_.steps.size() - enter - 1);
    return {};
  }

  Status CompileRecordArray(const AvroField& field, const KnownMember& member, ReadStep step) {
    if (step.node->kind != AvroKind::kArray || step.node->items().kind != AvroKind::kRecord) {
      return WrongType(field, "an array of records");
    }
    auto items = std::make_unique<ReadProgram>();
    Compiler compiler(*items, ~uint64_t{0}, nullptr, where_);
    FIRN_RETURN_IF_ERROR(compiler.CompileRecord(step.node->items(), member.members));
    step.operand = static_cast<uint32_t>(program_.items.size());
    program_.items.push_back(std::move(items));
    program_.steps.push_back(step);
    return {};
  }

  Status CompilePartition(const AvroNode& record) {
    for (const AvroField& field : record.fields) {
      const auto index = FindPartitionField(record, field);
      FIRN_ASSIGN(const AvroOption option,
                  ResolveAvroOption(*field.type, fmt::format("{}: partition field '{}' (id {})",
                                                             where_, field.name, field.field_id)));
      if (!index || option.value == nullptr) {
        AddSkip(*field.type);
        continue;
      }
      const NestedField& wanted = partition_type_->fields()[*index];
      PartitionPlan plan{.index = *index};
      FIRN_ASSIGN(plan.conversion, ResolveAvroValue(*option.value, *wanted.type,
                                                    fmt::format("{}: partition field '{}' (id {})",
                                                                where_, wanted.name, wanted.id)));
      program_.steps.push_back({.kind = ReadStep::Kind::kRead,
                                .slot = kPartitionValueSlot,
                                .null_branch = static_cast<int16_t>(option.null_branch),
                                .branch_count = static_cast<uint32_t>(option.branch_count),
                                .operand = static_cast<uint32_t>(program_.partition.size()),
                                .node = option.value});
      program_.partition.push_back(plan);
    }
    return {};
  }

  std::optional<size_t> FindPartitionField(const AvroNode& record, const AvroField& field) const {
    const auto& wanted = partition_type_->fields();
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (field.field_id == wanted[i].id) return i;
    }
    if (field.field_id != kNoAvroId) return std::nullopt;
    const std::string& name = field.iceberg_name.empty() ? field.name : field.iceberg_name;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (name != wanted[i].name && field.name != SanitizeAvroName(wanted[i].name)) continue;
      const bool id_is_taken =
          std::any_of(record.fields.begin(), record.fields.end(),
                      [&](const AvroField& other) { return other.field_id == wanted[i].id; });
      if (!id_is_taken) return i;
    }
    return std::nullopt;
  }

  bool IsMapValue(const KnownMember& member, const AvroOption& value) const {
    if (value.value == nullptr) return true;
    return member.shape == MemberShape::kLongMap ? IsLong(*value.value) : IsBytes(*value.value);
  }

  Result<MapPlan> PlanMap(const AvroField& field, const KnownMember& member,
                          const AvroNode& node) const {
    const std::string_view expected = member.shape == MemberShape::kLongMap
                                          ? "a map from int to long"
                                          : "a map from int to bytes";
    MapPlan plan;
    if (node.kind == AvroKind::kMap) {
      plan.is_avro_map = true;
      plan.item_min_size = 1 + node.values().min_size;
      FIRN_ASSIGN(plan.value, ResolveAvroOption(node.values(), Where(field)));
      if (!IsMapValue(member, plan.value)) return WrongType(field, expected);
      return plan;
    }
    if (node.kind != AvroKind::kArray || node.items().kind != AvroKind::kRecord) {
      return WrongType(field, expected);
    }
    plan.record = &node.items();
    plan.item_min_size = plan.record->min_size;
    const auto& fields = plan.record->fields;
    plan.key_index = plan.value_index = fields.size();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name == "key") plan.key_index = i;
      if (fields[i].name == "value") plan.value_index = i;
    }
    if (plan.key_index == fields.size() || plan.value_index == fields.size()) {
      return WrongType(field, expected);
    }
    FIRN_ASSIGN(plan.key, ResolveAvroOption(*fields[plan.key_index].type, Where(field)));
    FIRN_ASSIGN(plan.value, ResolveAvroOption(*fields[plan.value_index].type, Where(field)));
    if (plan.key.value == nullptr || !IsLong(*plan.key.value) || !IsMapValue(member, plan.value)) {
      return WrongType(field, expected);
    }
    plan.is_plain = fields.size() == 2 && plan.key_index == 0 && plan.key.branch_count == 0 &&
                    plan.value.branch_count == 0 && plan.value.value != nullptr &&
                    plan.value.value->kind != AvroKind::kFixed;
    return plan;
  }

  ReadProgram& program_;
  uint64_t wanted_;
  const Type* partition_type_;
  std::string_view where_;
};

}  // namespace

Result<ReadProgram> CompileReadProgram(AvroNodePtr schema, std::span<const KnownMember> members,
                                       uint64_t wanted, const Type* partition_type,
                                       std::string_view where) {
  if (schema->kind != AvroKind::kRecord) {
    return MakeError(ErrorCode::kCorrupt, "{}: Avro schema is a {}, expected a record", where,
                     FormatAvroKind(schema->kind));
  }
  ReadProgram program;
  Compiler compiler(program, wanted, partition_type, where);
  FIRN_RETURN_IF_ERROR(compiler.CompileRecord(*schema, members));
  program.schema = std::move(schema);
  return program;
}

}  // namespace firn
