#pragma once

#include <string>
#include <vector>

#include "firn/procedure/procedure.h"
#include "firn/session/policy_file.h"

namespace firn {

/// `policy`: a file.
Argument PolicyArgument();

/// The sections of the file that the argument names; none without it. Errors: those of reading;
/// kInvalidInput with file and line.
Result<PolicySections> ReadPolicy(ProcedureContext& context, const Arguments& arguments);

/// Tell people of each section that matches no catalog, namespace or table, with what may be meant.
/// `tables`, as FindTablesOf gives them, are known; others are looked for in their catalogs only,
/// each namespace once. What cannot be looked at counts as matched.
void WarnOfSections(const ProcedureContext& context, const Arguments& arguments,
                    const PolicySections& sections, const std::vector<std::string>& tables);

/// Tell people of properties of the table `name` that look like a policy and are none.
void WarnOfProperties(const ProcedureContext& context, const std::string& name,
                      const TableMetadata& metadata);

}  // namespace firn
