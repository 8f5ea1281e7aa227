#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/format/evolution/evolution_testing_internal.h"
#include "firn/testing/matchers.h"

// Random sequences of changes against a model that knows nothing of types: which ids there are,
// what they are called, in what order. Ids are stable, none is given twice, metadata round-trips.

namespace firn {
namespace {

// A column of the model.
struct ModelColumn {
  int32_t id;
  std::string name;
  std::string type;  // Of primitives; else "struct", "list" or "map".
  std::vector<ModelColumn> parts;
};

ModelColumn ToModel(const NestedField& field) {
  ModelColumn column{field.id, field.name, FormatType(*field.type), {}};
  if (!field.type->is_nested()) return column;
  column.type = column.type.substr(0, column.type.find('<'));
  for (const NestedField& part : field.type->fields())
    column.parts.push_back(ToModel(part));
  return column;
}

std::string Show(const std::vector<ModelColumn>& columns) {
  std::string text;
  for (const ModelColumn& column : columns) {
    text += fmt::format("{}:{} {}", column.id, column.name, column.type);
    if (!column.parts.empty()) text += "<" + Show(column.parts) + ">";
    text += ", ";
  }
  return text;
}

// A place in the model: the list of columns and the position in it.
struct Place {
  std::vector<ModelColumn>* siblings;
  size_t at;
  std::string prefix;  // "a." of what it lies in.
  bool is_in_struct;
  bool is_in_key;
  ModelColumn& column() const { return (*siblings)[at]; }
  std::string full_name() const { return prefix + column().name; }
};

void CollectPlaces(std::vector<ModelColumn>& columns, const std::string& prefix, bool is_struct,
                   bool is_key, std::vector<Place>& places) {
  for (size_t i = 0; i < columns.size(); ++i) {
    places.push_back({&columns, i, prefix, is_struct, is_key});
    ModelColumn& column = columns[i];
    for (size_t part = 0; part < column.parts.size() && column.type == "map"; ++part) {
      std::vector<ModelColumn>& parts = column.parts;
      const bool is_part_key = is_key || part == 0;
      places.push_back({&parts, part, prefix + column.name + ".", false, is_part_key});
      CollectPlaces(parts[part].parts, prefix + column.name + "." + parts[part].name + ".",
                    parts[part].type == "struct", is_part_key, places);
    }
    if (column.type == "map") continue;
    CollectPlaces(column.parts, prefix + column.name + ".", column.type == "struct", is_key,
                  places);
  }
}

constexpr const char* kTypes[] = {"int",
                                  "float",
                                  "string",
                                  "struct<x: int, y: string>",
                                  "array<int>",
                                  "map<string, struct<v: int>>",
                                  "array<struct<z: float>>"};

class Evolution {
 public:
  explicit Evolution(uint64_t seed)
      : random_(MakeSeededRandom(seed)),
        table_(MakeEvolvingTable({"a int, b struct<c: int, d: array<struct<e: float>>>, ts "
                                  "timestamp, n string",
                                  static_cast<int>(random_->Below(3)) + 1})) {
    for (const NestedField& field : table_.current_schema()->fields())
      model_.push_back(ToModel(field));
    Remember(model_);
  }

  void Step() {
    const std::string before = Show(model_);
    const auto change = MakeChange();
    const std::vector<SchemaChange> changes = {change};
    const auto schema = EvolveSchema(table_, changes);
    if (!schema.ok()) {
      ASSERT_EQ(schema.error().code(), ErrorCode::kInvalidInput);
      ASSERT_FALSE(is_legal_) << schema.error().Format() << "\n" << before;
      model_ = old_model_;
      return;
    }
    ASSERT_TRUE(is_legal_) << "expected a refusal of a change of " << before;
    const int32_t last_id = table_.last_column_id;
    table_ = WithSchema(table_, *schema);
    ++done_;
    std::vector<ModelColumn> found;
    for (const NestedField& field : table_.current_schema()->fields())
      found.push_back(ToModel(field));
    if (added_) {  // Ids of what is in the new column follow its own.
      ASSERT_NO_FATAL_FAILURE(CheckNewIds(found, last_id));
      AdoptAdded(model_, found);
    }
    ASSERT_EQ(Show(found), Show(model_)) << "before: " << before;
    ASSERT_GE(table_.last_column_id, last_id);
    CheckRoundTrip();
  }

  void StepOfSpec() {
    const auto& columns = table_.current_schema()->fields();
    const std::string& column = columns[random_->Below(columns.size())].name;
    const char* const kTerms[] = {"{}", "bucket(4, {})", "truncate(2, {})", "days({})"};
    const auto term =
        ParsePartitionFieldText(fmt::format(fmt::runtime(kTerms[random_->Below(4)]), column));
    ASSERT_THAT(term, IsOk());
    PartitionChange change = AddPartitionField{*term};
    if (random_->Below(2) == 0) change = DropPartitionField{*term};
    const auto spec = EvolvePartitionSpec(table_, std::vector<PartitionChange>{change});
    if (!spec.ok()) {
      ASSERT_EQ(spec.error().code(), ErrorCode::kInvalidInput);
      return;
    }
    const int32_t last_id = table_.last_partition_id;
    table_ = WithSpec(table_, *spec);
    ASSERT_GE(table_.last_partition_id, last_id);
    for (const PartitionField& field : table_.default_spec()->fields) {
      if (field.transform.kind == TransformKind::kVoid) continue;
      const std::string meaning =
          fmt::format("{} {}", field.source_id(), FormatTransform(field.transform));
      const auto [known, is_new] = meanings_.emplace(field.field_id, meaning);
      ASSERT_EQ(known->second, meaning) << field.field_id;
      if (is_new) {
        ASSERT_GT(field.field_id, last_id);
      }
    }
    CheckRoundTrip();
  }

  int done() const { return done_; }

 private:
  // Changes `model_` as the change should change the table; `is_legal_` says whether it may.
  SchemaChange MakeChange() {
    old_model_ = model_;
    added_ = false;
    is_legal_ = true;
    std::vector<Place> places;
    CollectPlaces(model_, "", true, false, places);
    const Place place = places[random_->Below(places.size())];
    is_legal_ = place.is_in_struct && !place.is_in_key;
    switch (random_->Below(5)) {
      case 0:
        return Drop(place);
      case 1:
        return Rename(place);
      case 2:
        return Move(place);
      case 3:
        return Widen(place);
      default:
        return Add(place);
    }
  }

  SchemaChange Drop(const Place& place) {
    const std::string name = place.full_name();
    is_legal_ = is_legal_ && place.siblings->size() > 1 && !IsUsed(place.column());
    place.siblings->erase(place.siblings->begin() + static_cast<std::ptrdiff_t>(place.at));
    return DropColumn{name};
  }

  SchemaChange Rename(const Place& place) {
    const std::string old_name = place.full_name();
    const std::string name = fmt::format("r{}", random_->Below(6));
    for (const ModelColumn& sibling : *place.siblings) {
      if (sibling.name == name && sibling.id != place.column().id) is_legal_ = false;
    }
    is_legal_ = is_legal_ && !IsPartitionName(place.prefix + name, place.column().id);
    if (place.is_in_struct) place.column().name = name;
    return RenameColumn{old_name, name};
  }

  SchemaChange Move(const Place& place) {
    AlterColumn change;
    change.column = place.full_name();
    change.position = ColumnPosition{};
    std::rotate(place.siblings->begin(),
                place.siblings->begin() + static_cast<std::ptrdiff_t>(place.at),
                place.siblings->begin() + static_cast<std::ptrdiff_t>(place.at) + 1);
    return change;
  }

  SchemaChange Widen(const Place& place) {
    AlterColumn change;
    change.column = place.full_name();
    std::string& type = place.column().type;
    is_legal_ = !place.is_in_key &&
                (type == "int" || type == "float" || type == "long" || type == "double");
    const bool is_float = type == "float" || type == "double";
    change.type = Type::Primitive(is_float ? TypeId::kDouble : TypeId::kLong);
    type = is_float ? "double" : "long";
    return change;
  }

  SchemaChange Add(const Place& place) {
    const std::string name = fmt::format("n{}", random_->Below(6));
    AddColumn change = MakeAddColumn(name + " " + kTypes[random_->Below(std::size(kTypes))]);
    std::vector<ModelColumn>* siblings = &model_;
    if (random_->Below(2) == 0) {
      ModelColumn* parent = &place.column();
      change.path = {place.full_name(), name};
      is_legal_ = !place.is_in_key;
      if (parent->type == "list") parent = &parent->parts[0];
      if (parent->type == "map") parent = &parent->parts[1];
      is_legal_ = is_legal_ && parent->type == "struct";
      siblings = &parent->parts;
    } else {
      is_legal_ = true;
    }
    for (const ModelColumn& sibling : *siblings)
      is_legal_ = is_legal_ && sibling.name != name;
    if (siblings == &model_) is_legal_ = is_legal_ && !IsPartitionName(name, 0);
    added_ = true;
    siblings->push_back({0, name, "", {}});
    return change;
  }

  // A partition field of other values is called so; a column may not be, then.
  bool IsPartitionName(const std::string& name, int32_t own_id) const {
    const auto& fields = table_.default_spec()->fields;
    return std::any_of(fields.begin(), fields.end(), [&](const PartitionField& field) {
      const bool is_own =
          field.transform.kind == TransformKind::kIdentity && field.source_id() == own_id;
      return field.name == name && field.transform.kind != TransformKind::kVoid && !is_own;
    });
  }

  bool IsUsed(const ModelColumn& column) const {
    for (const PartitionField& field : table_.default_spec()->fields) {
      if (field.transform.kind != TransformKind::kVoid && field.source_id() == column.id)
        return true;
    }
    return std::any_of(column.parts.begin(), column.parts.end(),
                       [this](const ModelColumn& part) { return IsUsed(part); });
  }

  void Remember(const std::vector<ModelColumn>& columns) {
    for (const ModelColumn& column : columns) {
      ever_.insert(column.id);
      Remember(column.parts);
    }
  }

  void CheckNewIds(const std::vector<ModelColumn>& found, int32_t last_id) {
    for (const ModelColumn& column : found) {
      if (ever_.insert(column.id).second) {
        ASSERT_GT(column.id, last_id);
      }
      ASSERT_NO_FATAL_FAILURE(CheckNewIds(column.parts, last_id));
    }
  }

  // Take over the one column that the model does not know the id of.
  static void AdoptAdded(std::vector<ModelColumn>& model, const std::vector<ModelColumn>& found) {
    for (size_t i = 0; i < model.size() && i < found.size(); ++i) {
      if (model[i].id == 0) {
        model[i] = found[i];
      } else {
        AdoptAdded(model[i].parts, found[i].parts);
      }
    }
  }

  void CheckRoundTrip() const {
    const std::string json = FormatTableMetadata(table_);
    const auto again = ParseTableMetadata(std::as_bytes(std::span(json)), "test");
    ASSERT_THAT(again, IsOk());
    ASSERT_EQ(FormatTableMetadata(*again), json);
    ASSERT_EQ(Show({ToModel(again->current_schema()->fields().back())}),
              Show({ToModel(table_.current_schema()->fields().back())}));
  }

  std::unique_ptr<Random> random_;
  TableMetadata table_;
  std::vector<ModelColumn> model_;
  std::vector<ModelColumn> old_model_;
  bool is_legal_ = true;
  bool added_ = false;
  int done_ = 0;  // Changes that were not refused.
  std::set<int32_t> ever_;
  std::map<int32_t, std::string> meanings_;
};

TEST(EvolutionPropertyTest, IdsStayTheSameForEverAndNoneIsGivenTwice) {
  constexpr uint64_t kSequences = 60;
  constexpr int kSteps = 40;
  int done = 0;
  for (uint64_t seed = 1; seed <= kSequences; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Evolution evolution(seed);
    for (int step = 0; step < kSteps; ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      ASSERT_NO_FATAL_FAILURE(evolution.Step());
      ASSERT_NO_FATAL_FAILURE(evolution.StepOfSpec());
    }
    done += evolution.done();
  }
  EXPECT_GT(done, static_cast<int>(kSequences) * kSteps / 3) << "too many changes are refused";
}

}  // namespace
}  // namespace firn
